// Repositories: reference rows (categories, document types and valuation sources), and the settings of the deployment.
import type { Sql } from '#database/database.ts';
import { readRow } from '#database/rows.ts';

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
  /** Prefix of the registry ids of all items. */
  platformPrefix: string;
}

/** All reference rows, each kind by code, and the prefix. */
export function readReference(sql: Sql): Promise<Reference> {
  const text = `select
  (select json_agg(json_build_object('code', code, 'name', name, 'fieldSchema', field_schema,
   'recommendedDocuments', recommended_documents) order by code) from categories) as categories,
  (select json_agg(json_build_object('code', code, 'name', name) order by code) from document_types) as "documentTypes",
  (select json_agg(json_build_object('code', code, 'name', name) order by code) from valuation_sources) as "valuationSources",
  (select platform_prefix from deployment) as "platformPrefix"`;
  return readRow(sql, { text });
}

/** Key for the portal's cookies if the configuration sets no secret. */
export const readPortalSecret = (sql: Sql) => settingOf<Buffer>(sql, 'portal_secret');

/** Secret with which all gateways of the deployment seal their cursors. */
export const readCursorKey = (sql: Sql) => settingOf<Buffer>(sql, 'cursor_key');

/** Prefix of the registry ids of all items. */
export const readPlatformPrefix = (sql: Sql) => settingOf<string>(sql, 'platform_prefix');

async function settingOf<Value>(sql: Sql, column: string): Promise<Value> {
  const [row] = await sql.query<{ value: Value }>({ text: `select ${column} as value from deployment` });
  if (row === undefined) throw new Error('the table deployment is empty: the database was not migrated');
  return row.value;
}
