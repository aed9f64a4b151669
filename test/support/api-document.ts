// Test support: the OpenAPI document of the code as it is, and its schemas as checks.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readReference } from '#repositories/reference.ts';
import { inlined, type JsonSchema } from '#rest-facade/openapi/json-schema.ts';
import { describeApi, type OpenApiDocument } from '#rest-facade/openapi.ts';
import { sharedSchemas } from '#schema/index.ts';
import { openMigrated } from '#test/repositories/parties.ts';

/** Of today's code and the reference rows that the migrations bring. */
export async function makeApiDocument(): Promise<OpenApiDocument> {
  const { database, close } = await openMigrated();
  try {
    return describeApi({ schemas: sharedSchemas(), reference: await readReference(database) });
  } finally {
    await close();
  }
}

const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
const checks = new Map<string, ValidateFunction>();

/** What is wrong with the value, members that the schema does not name included; empty where nothing is. */
export function faultsOf(document: OpenApiDocument, schema: JsonSchema, value: unknown): string[] {
  const closed = withoutOthers(inlined(schema, document.components.schemas ?? {}));
  const key = JSON.stringify(closed);
  const check = checks.get(key) ?? ajv.compile(closed as JsonSchema);
  checks.set(key, check);
  check(value);
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** The schema with every object closed, but not the alternatives of `anyOf`: there each would refuse the others'. */
function withoutOthers(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutOthers);
  if (typeof schema !== 'object' || schema === null) return schema;
  const own = Object.fromEntries(Object.entries(schema).map(([key, entry]) => [key, withoutOthers(entry)]));
  return 'properties' in schema && !('title' in schema) ? { ...own, additionalProperties: false } : own;
}

/** Follows a reference to a component. */
export function resolved(document: OpenApiDocument, value: JsonSchema): JsonSchema {
  const [, , section = '', name = ''] = String(value.$ref ?? '').split('/');
  return value.$ref === undefined ? value : (document.components[section]?.[name] ?? {});
}
