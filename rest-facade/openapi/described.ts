// REST facade, OpenAPI: an operation with its path and method.
import type { JsonSchema } from './json-schema.ts';

export interface Described {
  path: string;
  /** In lower case, as in OpenAPI. */
  method: string;
  operation: JsonSchema;
}

/** Adds HEAD to every GET: the same without a body, also for refusals, for which `refused` names the component. */
export function withHead(described: Described, refused: string): Described[] {
  if (described.method !== 'get') return [described];
  const { operationId, summary, description: _, responses, 'x-codeSamples': __, ...get } = described.operation;
  const bare = Object.entries(responses as Record<string, JsonSchema>).flatMap(([status, response]) => {
    const { content: ___, ...headers } = response;
    return Number(status) < 400 ? [[status, headers]] : [];
  });
  const head = {
    operationId: `${operationId}Head`,
    summary: `${summary}: headers only`,
    description: `As ${operationId}, without a body.`,
    ...get,
    responses: { ...Object.fromEntries(bare), default: { $ref: `#/components/responses/${refused}` } },
  };
  return [described, { ...described, method: 'head', operation: head }];
}
