// Database: items with their valuations, documents, collections and share links.
import { Migration } from '@mikro-orm/migrations';

export class Migration0003Portfolio extends Migration {
  override up(): void {
    this.addSql(`
create table items (
  id text collate "C" primary key,
  registry_id text collate "C" not null unique,
  client_id text collate "C" not null references users,
  category text collate "C" not null references categories,
  title text not null,
  quantity numeric(15, 4) not null default 1 check (quantity >= 0),
  market_value numeric check (market_value >= 0),
  market_value_as_of timestamptz(3),
  purchase_amount numeric check (purchase_amount >= 0),
  purchase_currency text,
  purchased_on date,
  insurance_amount numeric check (insurance_amount >= 0),
  insurance_currency text,
  description text,
  notes text,
  seller text,
  storage_location text,
  category_fields jsonb,
  heirs jsonb not null default '[]',
  readiness jsonb,
  verification jsonb,
  internal_notes text,
  -- Counts the changes that partners may notice (everything but P0, valuations and documents included).
  revision integer not null default 0,
  created_at timestamptz(3) not null default now_ms(),
  updated_at timestamptz(3) not null default now_ms(),
  check ((purchase_amount is null) = (purchase_currency is null)),
  check ((insurance_amount is null) = (insurance_currency is null))
);
create index items_walk_idx on items (client_id, id);
create index items_delta_idx on items (client_id, updated_at, id);
create index items_value_idx on items (client_id, market_value);
create index items_category_idx on items (client_id, category, id) include (market_value);

create table collections (
  id text collate "C" primary key,
  client_id text collate "C" not null references users,
  name text not null,
  created_at timestamptz(3) not null default now_ms(),
  updated_at timestamptz(3) not null default now_ms()
);
create index collections_client_idx on collections (client_id);

create table item_collections (
  item_id text collate "C" not null references items on delete cascade,
  collection_id text collate "C" not null references collections on delete cascade,
  primary key (item_id, collection_id)
);
create index item_collections_collection_idx on item_collections (collection_id, item_id);

create table share_links (
  id text collate "C" primary key,
  item_id text collate "C" not null references items on delete cascade,
  label text,
  token text,
  created_at timestamptz(3) not null default now_ms(),
  expires_at timestamptz(3)
);
create index share_links_item_idx on share_links (item_id, created_at, id);

create table valuations (
  id text collate "C" primary key,
  item_id text collate "C" not null references items on delete cascade,
  source text collate "C" not null references valuation_sources,
  amount numeric not null check (amount >= 0),
  currency text not null,
  valued_at timestamptz(3) not null,
  appraiser text,
  created_at timestamptz(3) not null default now_ms()
);
create index valuations_item_idx on valuations (item_id, valued_at desc, id desc);

create table documents (
  id text collate "C" primary key,
  item_id text collate "C" not null references items on delete cascade,
  type text collate "C" not null references document_types,
  title text,
  issuer text,
  issued_on date,
  expires_on date,
  file_size bigint check (file_size >= 0),
  file_path text,
  created_at timestamptz(3) not null default now_ms(),
  updated_at timestamptz(3) not null default now_ms()
);
create index documents_item_idx on documents (item_id, type, expires_on);

-- Ids of deleted rows never come back.
create table deleted_ids (
  id text collate "C" primary key,
  deleted_at timestamptz(3) not null default now_ms()
);
`);
  }
}
