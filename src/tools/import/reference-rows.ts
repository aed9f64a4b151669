// Tools: the rows that files refer to by code: categories with their schemas, document types, valuation sources.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Sql } from '#database/database.ts';

export interface ReferenceRows {
  /** Category code → whether category fields are as the category's schema says. */
  categories: Map<string, ValidateFunction>;
  documentTypes: string[];
  valuationSources: string[];
}

export async function readReferenceRows(sql: Sql): Promise<ReferenceRows> {
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  const categories = await sql.query<{ code: string; field_schema: object }>({
    text: 'select code, field_schema from categories order by code',
  });
  const codes = async (table: string) =>
    (await sql.query<{ code: string }>({ text: `select code from ${table} order by code` })).map(({ code }) => code);
  return {
    categories: new Map(categories.map(({ code, field_schema }) => [code, ajv.compile(field_schema)])),
    documentTypes: await codes('document_types'),
    valuationSources: await codes('valuation_sources'),
  };
}
