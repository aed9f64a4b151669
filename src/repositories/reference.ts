// Repositories: reference rows: categories, document types and valuation sources.
import type { Sql } from '#database/database.ts';

export interface Category {
  code: string;
  name: string;
  fieldSchema: Record<string, unknown>;
  recommendedDocuments: string[];
}

export interface Reference {
  categories: Category[];
  documentTypes: { code: string; name: string }[];
  valuationSources: { code: string; name: string }[];
}

/** All reference rows, each kind by code. */
export async function readReference(sql: Sql): Promise<Reference> {
  const [row] = await sql.query<Record<'categories' | 'types' | 'sources', never>>({
    text: `select
  (select json_agg(json_build_object('code', code, 'name', name, 'fieldSchema', field_schema,
     'recommendedDocuments', recommended_documents) order by code) from categories) as categories,
  (select json_agg(json_build_object('code', code, 'name', name) order by code) from document_types) as types,
  (select json_agg(json_build_object('code', code, 'name', name) order by code) from valuation_sources) as sources`,
  });
  if (row === undefined) throw new Error('the reference tables cannot be read');
  return { categories: row.categories, documentTypes: row.types, valuationSources: row.sources };
}

/** What signs the portal's cookies where the configuration names no secret. */
export async function readPortalSecret(sql: Sql): Promise<Buffer> {
  const [row] = await sql.query<{ portal_secret: Buffer }>({ text: 'select portal_secret from deployment' });
  if (row === undefined) throw new Error('the deployment has no settings: it was not migrated');
  return row.portal_secret;
}

/** The secret under which all gateways of the deployment seal their cursors. */
export async function readCursorKey(sql: Sql): Promise<Buffer> {
  const [row] = await sql.query<{ cursor_key: Buffer }>({ text: 'select cursor_key from deployment' });
  if (row === undefined) throw new Error('the deployment has no settings: it was not migrated');
  return row.cursor_key;
}
