// Test support: the OpenAPI document of the current code, and validation against its schemas.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readReference } from '#repositories/reference.ts';
import { inlined, type JsonSchema } from '#rest-facade/openapi/json-schema.ts';
import { describeApi, type OpenApiDocument } from '#rest-facade/openapi.ts';
import { sharedSchemas } from '#schema/index.ts';
import { openMigrated } from '#test/repositories/parties.ts';

/** From the current code and the reference rows of the migrations. */
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

/** Validation errors of the value; members that the schema does not name are errors, too. */
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

/** The schema with every object closed, except alternatives of `anyOf`, which would refuse each other's members. */
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
