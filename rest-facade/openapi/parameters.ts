// REST facade, OpenAPI: query parameters, from those that requests are read with, and request headers.
import { REGISTRY_ID_PATTERN } from '#core/ids.ts';
import type { Reference } from '#gateway/reference.ts';
import { VERSION_HEADER } from '#versions/negotiate.ts';
import { REGISTRY_ID } from '../examples.ts';
import type { Parameter } from '../parameters.ts';
import type { JsonSchema } from './json-schema.ts';

export function queryParameter(parameter: Parameter, reference: Reference): JsonSchema {
  const { name, description, required = false, schema, example, codes } = parameter;
  const list = schema.type === 'array';
  const values = codes?.(reference);
  return {
    name,
    in: 'query',
    description,
    required,
    ...(list ? { style: 'form', explode: false } : {}),
    schema: values === undefined ? schema : withCodes(schema, values),
    example,
  };
}

function withCodes(schema: Parameter['schema'], codes: readonly string[]): JsonSchema {
  if (schema.type !== 'array') return { type: schema.type, enum: codes };
  return { ...schema, items: { type: 'string', enum: codes } };
}

/** `version`: the version described. */
export function headerParameters(versions: readonly string[], version: string): Record<string, JsonSchema> {
  return {
    [VERSION_HEADER]: {
      name: VERSION_HEADER,
      in: 'header',
      description: 'The version of the API that the caller was written for: exactly one of the listed dates.',
      required: true,
      schema: { type: 'string', enum: versions },
      example: version,
    },
    'If-None-Match': {
      name: 'If-None-Match',
      in: 'header',
      description: 'The `ETag` of the representation that the caller has already: 304 while it still is the same.',
      schema: { type: 'string' },
      example: 'W/"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
    },
  };
}

export const pathParameters: Record<string, JsonSchema> = {
  registry_id: {
    name: 'registry_id',
    in: 'path',
    description: 'The registry id of the asset. Text of another form is answered like an unknown id: 404.',
    required: true,
    schema: { type: 'string', pattern: REGISTRY_ID_PATTERN },
    example: REGISTRY_ID,
  },
};
