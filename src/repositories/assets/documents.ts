// Repositories: document metadata of assets; the files' paths are never read here.
import type { PortfolioView } from '#core/principal.ts';
import type { Sql } from '#database/database.ts';
import { type AssetKey, readChildren } from './asset-children.ts';
import { type Completeness, completeness } from './asset-row.ts';
import { Bindings, insideFilter, PRESENT_DOCUMENTS } from './asset-sql.ts';

export interface Document {
  id: string;
  registryId: string;
  type: string;
  title: string | null;
  issuer: string | null;
  issuedOn: string | null;
  expiresOn: string | null;
  /** Bytes. */
  fileSize: number | null;
  createdAt: string;
  updatedAt: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a row of DOCUMENT_COLUMNS.
type DocumentRow = any;

const DOCUMENT_COLUMNS =
  'd.id, d.type, d.title, d.issuer, d.issued_on, d.expires_on, d.file_size, d.created_at, d.updated_at';
const NEWEST_FIRST = 'd.issued_on desc nulls last, d.id desc';

const toDocument = (row: DocumentRow): Document => ({
  id: row.id,
  registryId: row.registry_id,
  type: row.type,
  title: row.title,
  issuer: row.issuer,
  issuedOn: row.issued_on,
  expiresOn: row.expires_on,
  fileSize: row.file_size,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** All documents of one asset with its completeness; null when the client has no such asset. */
export async function listDocuments(
  sql: Sql,
  view: PortfolioView,
  registryId: string,
): Promise<{ documents: Document[]; completeness: Completeness; inView: boolean } | null> {
  const bindings = new Bindings();
  const text = `
select i.registry_id, ${insideFilter(view.filter, bindings)} as in_view, c.recommended_documents,
  ${PRESENT_DOCUMENTS} as present_documents, d.*
from items i join categories c on c.code = i.category
left join lateral (select ${DOCUMENT_COLUMNS} from documents d where d.item_id = i.id) d on true
where i.registry_id = ${bindings.add(registryId)} and i.client_id = ${bindings.add(view.clientId)}
order by ${NEWEST_FIRST}`;
  const rows = await sql.query<DocumentRow>({ text, values: bindings.values, prepare: true });
  const [first] = rows;
  if (first === undefined) return null;
  return {
    inView: first.in_view,
    completeness: completeness(first.recommended_documents, first.present_documents),
    documents: first.id === null ? [] : rows.map(toDocument),
  };
}

/** All documents of each asset, by its id. */
export function documentsOf(sql: Sql, assets: readonly AssetKey[]): Promise<Map<string, Document[]>> {
  const text = `
select i.id as item_id, i.registry_id, ${DOCUMENT_COLUMNS}
from items i join documents d on d.item_id = i.id where i.id = any($1::text[])
order by i.id, ${NEWEST_FIRST}`;
  return readChildren(sql, assets, { name: 'documents of assets', text, values: [] }, toDocument);
}
