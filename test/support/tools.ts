// Test support: internal tools: service tokens, and GraphQL operations sent with them.

import { afterAll, afterEach, beforeAll, beforeEach, type MockInstance, vi } from 'vitest';
import { makeToken } from '#auth/key-format.ts';
import type { ServiceRole } from '#core/principal.ts';
import type { Database } from '#database/database.ts';
import { createToken } from '#repositories/admission/tokens.ts';
import { startGateway, type TestGateway } from './gateway.ts';
import { makePartner, type Partner } from './partner.ts';
import { call, makeItem, type Response } from './scenario.ts';
import { isOfRequest } from './statements.ts';

export async function makeServiceToken(database: Database, role: ServiceRole): Promise<string> {
  const { text, hash } = makeToken('service');
  await createToken(database, 'service', { holder: role, hash, expiresAt: null });
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

/** The error codes of a response, in order. */
export const codesOf = ({ body }: Response): string[] =>
  (body?.errors ?? []).map((error: { extensions?: { code?: string } }) => error.extensions?.code ?? 'NO CODE');

export interface ToolScene {
  gateway: TestGateway;
  /** A firm with a key, and a client with one item. */
  partner: Partner;
  /** A service token of the role support. */
  token: string;
  /** Sends the operation as the key of `partner`. */
  ask(operation: Operation | Operation[] | string): Promise<Response>;
  /** The number of statements for requests in the current test, without authentication and the access record. */
  statementCount(): number;
}

/** A gateway and a support tool for all tests of the calling file; set before the first test. */
export function withToolScene(): ToolScene {
  const scene = {} as ToolScene;
  let statements: MockInstance<Database['query']>;
  beforeAll(async () => {
    scene.gateway = await startGateway();
    scene.partner = await makePartner(scene.gateway);
    await makeItem(scene.gateway.database, scene.partner.client);
    scene.token = await makeServiceToken(scene.gateway.database, 'support');
    scene.ask = (operation) =>
      graphql(scene.gateway.internalUrl, scene.token, operation, { actAs: scene.partner.key.id });
    scene.statementCount = () =>
      statements.mock.calls.filter(
        ([statement]) =>
          isOfRequest(statement) && !/service_tokens|access_|firm_refusals|api_keys k join grants/.test(statement.text),
      ).length;
  });
  afterAll(() => scene.gateway?.stop());
  beforeEach(() => {
    statements = vi.spyOn(scene.gateway.database, 'query');
  });
  afterEach(() => statements.mockRestore());
  return scene;
}
