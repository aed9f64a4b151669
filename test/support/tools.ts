// Test support: internal tools: a service token of a role, and GraphQL operations sent with it.

import { makeToken } from '#auth/key-format.ts';
import type { ServiceRole } from '#core/principal.ts';
import type { Database } from '#database/database.ts';
import { createServiceToken } from '#repositories/admission/tokens.ts';
import { call, type Response } from './scenario.ts';

export async function makeServiceToken(database: Database, role: ServiceRole): Promise<string> {
  const { text, hash } = makeToken('service');
  await createServiceToken(database, { role, hash, expiresAt: null });
  return text;
}

export interface Operation {
  query: string;
  variables?: Record<string, unknown>;
  operationName?: string;
}

/** POSTs to `/graphql` of the internal listener; `actAs` is a key's id. */
export function graphql(
  internalUrl: string,
  token: string | null,
  operation: Operation | Operation[] | string,
  { actAs, headers = {} }: { actAs?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  const acting = actAs === undefined ? {} : { 'X-Act-As-Key': actAs };
  return call(`${internalUrl}/graphql`, token, {
    method: 'POST',
    version: null,
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...acting, ...headers },
    body: typeof operation === 'string' ? operation : JSON.stringify(operation),
  });
}

/** Codes of the errors of an answer, in order. */
export const codesOf = ({ body }: Response): string[] =>
  (body?.errors ?? []).map((error: { extensions?: { code?: string } }) => error.extensions?.code ?? 'NO CODE');
