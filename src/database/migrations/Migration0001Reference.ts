// Database: reference rows (categories, document types, valuation sources) and the fixed settings of the deployment.
import { Migration } from '@mikro-orm/migrations';

export class Migration0001Reference extends Migration {
  override up(): void {
    this.addSql(`
create table deployment (
  singleton boolean primary key default true check (singleton),
  platform_prefix text not null check (platform_prefix ~ '^[A-Z]{2,6}$'),
  -- Seals the cursors of all gateways; 244 of its bits are random.
  cursor_key bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
  created_at timestamptz(3) not null default now()
);

create table document_types (
  code text collate "C" primary key,
  name text not null
);
insert into document_types (code, name) values
  ('purchase_receipt', 'Purchase receipt'),
  ('certificate_of_authenticity', 'Certificate of authenticity'),
  ('assay_certificate', 'Assay certificate'),
  ('grading_report', 'Grading report'),
  ('appraisal_report', 'Appraisal report'),
  ('insurance_policy', 'Insurance policy'),
  ('provenance_record', 'Provenance record'),
  ('service_record', 'Service record'),
  ('condition_report', 'Condition report'),
  ('photograph', 'Photograph'),
  ('title_document', 'Title document'),
  ('other', 'Other');

create table valuation_sources (
  code text collate "C" primary key,
  name text not null
);
insert into valuation_sources (code, name) values
  ('spot_price', 'Spot price'),
  ('appraisal', 'Appraisal'),
  ('user_estimate', 'Owner''s estimate'),
  ('auction_result', 'Auction result'),
  ('dealer_quote', 'Dealer quote'),
  ('insurance_appraisal', 'Insurance appraisal');

create table categories (
  code text collate "C" primary key check (code ~ '^[A-Z0-9]{2,8}$'),
  name text not null,
  -- JSON Schema (2020-12) of an item's category_fields.
  field_schema jsonb not null,
  -- Codes of document_types, sorted; the completeness score counts these.
  recommended_documents text[] collate "C" not null default '{}'
);`);
    for (const category of CATEGORIES) {
      this.addSql(`
insert into categories (code, name, field_schema, recommended_documents) values (
  ${literal(category.code)}, ${literal(category.name)},
  ${literal(JSON.stringify({ type: 'object', properties: category.fields }))},
  array(select unnest(${literal(`{${category.documents.join(',')}}`)}::text[]) order by 1));`);
    }
  }
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

const COMMON_DOCUMENTS = ['purchase_receipt', 'appraisal_report', 'insurance_policy'];

const text = { type: 'string' };
const number = { type: 'number', minimum: 0 };
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };

interface CategoryRow {
  code: string;
  name: string;
  fields: Record<string, object>;
  documents: string[];
}

const category = (code: string, name: string, fields: Record<string, object>, extra: string[] = []): CategoryRow => ({
  code,
  name,
  fields,
  documents: [...COMMON_DOCUMENTS, ...extra],
});

const CATEGORIES: CategoryRow[] = [
  category(
    'PM',
    'Precious metals',
    { metal: text, purity: number, weight_g: number, form: text, refiner: text, serial_number: text },
    ['assay_certificate'],
  ),
  category(
    'WT',
    'Watches',
    {
      brand: text,
      model: text,
      reference: text,
      serial_number: text,
      year: integer,
      movement: text,
      case_material: text,
    },
    ['certificate_of_authenticity', 'service_record'],
  ),
  category('JW', 'Jewellery', { type: text, metal: text, gemstones: text, maker: text, weight_g: number }, [
    'grading_report',
  ]),
  category(
    'GM',
    'Gemstones',
    { stone: text, certification: text, carat: number, cut: text, colour: text, clarity: text, origin: text },
    ['grading_report'],
  ),
  category('AR', 'Art', { artist: text, year: text, medium: text, dimensions: text, edition: text, signed: boolean }, [
    'provenance_record',
    'condition_report',
  ]),
  category('WN', 'Wine and spirits', {
    producer: text,
    vintage: integer,
    region: text,
    bottle_size_ml: number,
    appellation: text,
  }),
  category(
    'CN',
    'Coins and currency',
    { country: text, denomination: text, year: integer, grade: text, grading_service: text, mint: text },
    ['grading_report'],
  ),
  category(
    'VH',
    'Classic vehicles',
    { make: text, model: text, year: integer, vin: text, mileage_km: number, colour: text },
    ['title_document', 'service_record'],
  ),
  category(
    'BK',
    'Books and manuscripts',
    { author: text, publisher: text, year: integer, edition: text, binding: text, signed: boolean },
    ['provenance_record', 'condition_report'],
  ),
  category('MI', 'Musical instruments', { instrument: text, maker: text, year: integer, serial_number: text }, [
    'provenance_record',
    'condition_report',
  ]),
  category(
    'FA',
    'Furniture and antiques',
    { type: text, period: text, maker: text, material: text, dimensions: text },
    ['provenance_record', 'condition_report'],
  ),
  category('CL', 'Collectibles', { type: text, maker: text, year: integer, edition: text, condition: text }),
  { code: 'OT', name: 'Other', fields: {}, documents: [] },
];
