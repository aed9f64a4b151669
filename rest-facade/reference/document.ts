// REST facade, reference: the parts of the OpenAPI document that the page uses.
import type { OpenApiDocument } from '../openapi.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  enum?: string[];
  'x-extensible-enum'?: string[];
  'x-scope'?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: string;
  description: string;
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

export type Examples = Record<string, { summary: string; value: unknown }>;

export interface Response {
  description: string;
  content?: { 'application/json': { schema: Schema; examples: Examples } };
}

export interface Header {
  description: string;
  example: string | number;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: { 'application/json': { schema: Schema; examples: Examples } } };
  responses: Record<string, Response | { $ref: string }>;
  'x-scope'?: string;
  'x-codeSamples': { lang: string; label: string; source: string }[];
}

export interface Endpoint {
  method: string;
  path: string;
  operation: Operation;
}

/** All endpoints except HEAD, which the introduction covers once. */
export function endpointsOf({ paths }: OpenApiDocument): Endpoint[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'head')
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation: operation as unknown as Operation,
      })),
  );
}

/** Resolves a reference, overridden by its sibling members. Returns any other value unchanged. */
export function resolve<Value extends object>(document: OpenApiDocument, value: Value | { $ref: string }): Value {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as Value;
  const { $ref, ...beside } = value;
  const [, , section = '', name = ''] = $ref.split('/');
  const named = document.components[section]?.[name];
  if (named === undefined) throw new Error(`${$ref} names nothing`);
  return { ...named, ...beside } as Value;
}
