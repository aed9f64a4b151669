// Repositories: metadata of documents. The paths of the files are never read here.
import { DOCUMENT_FIELDS } from '#core/fields/document.ts';
import type { ServedValues } from '#core/fields/field.ts';
import type { PortfolioView } from '#core/principal.ts';
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import { type AssetKey, CHILD_COLUMNS, REQUESTED_ASSETS, readChildren } from './asset-children.ts';
import { type Completeness, completeness } from './asset-row.ts';
import { insideFilter, presentDocuments } from './asset-sql.ts';
import { type Row, selectList } from './field-columns.ts';

export interface Document extends ServedValues<typeof DOCUMENT_FIELDS> {
  registryId: string;
}

const DOCUMENT_COLUMNS = selectList(DOCUMENT_FIELDS, 'd');
const NEWEST_FIRST = 'd.issued_on desc nulls last, d.id desc';

const toDocument = (row: Row): Document => row;

/** All documents of one asset with its completeness; null if the client has no such asset. */
export async function listDocuments(
  sql: Sql,
  view: PortfolioView,
  registryId: string,
): Promise<{ number: number; documents: Document[]; completeness: Completeness; inView: boolean } | null> {
  const bindings = new Bindings();
  const text = `
select i.registry_id as "registryId", i.number, ${insideFilter(view.filter, bindings)} as in_view, c.recommended_documents,
  ${presentDocuments('i.id')} as present_documents, ${DOCUMENT_COLUMNS}
from items i join categories c on c.code = i.category left join documents d on d.item_id = i.id
where i.registry_id = ${bindings.add(registryId)} and i.client_id = ${bindings.add(view.clientId)}
order by ${NEWEST_FIRST}`;
  const rows = await sql.query<Row>({ text, values: bindings.values, prepare: true });
  const [first] = rows;
  if (first === undefined) return null;
  return {
    number: first.number,
    inView: first.in_view,
    completeness: completeness(first.recommended_documents, first.present_documents),
    documents: first.id === null ? [] : rows.map(toDocument),
  };
}

/** All documents of each asset, in the order of the assets. */
export function documentsOf(sql: Sql, assets: readonly AssetKey[]): Promise<Document[][]> {
  const text = `
select ${CHILD_COLUMNS}, ${DOCUMENT_COLUMNS}
from ${REQUESTED_ASSETS} join documents d on d.item_id = asked.id
order by asked.n, ${NEWEST_FIRST}`;
  return readChildren(sql, assets, { name: 'documents of assets', text, values: [] }, toDocument);
}
