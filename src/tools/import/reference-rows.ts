// Tools: rows that files reference by code: categories with their schemas, document types and valuation sources.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Sql } from '#database/database.ts';
import { readReference } from '#repositories/reference.ts';

export interface ReferenceRows {
  /** Category code → validator of category fields by the category's schema. */
  categories: Map<string, ValidateFunction>;
  documentTypes: string[];
  valuationSources: string[];
}

export async function readReferenceRows(sql: Sql): Promise<ReferenceRows> {
  const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true });
  addFormats.default(ajv);
  const { categories, documentTypes, valuationSources } = await readReference(sql);
  return {
    categories: new Map(categories.map(({ code, fieldSchema }) => [code, ajv.compile(fieldSchema)])),
    documentTypes: documentTypes.map(({ code }) => code),
    valuationSources: valuationSources.map(({ code }) => code),
  };
}
