// Test support: internal tools: a service token of a role, and GraphQL operations sent with it.

import { afterAll, afterEach, beforeAll, beforeEach, type MockInstance, vi } from 'vitest';
import { makeToken } from '#auth/key-format.ts';
import type { ServiceRole } from '#core/principal.ts';
import type { Database } from '#database/database.ts';
import { createServiceToken } from '#repositories/admission/tokens.ts';
import { startGateway, type TestGateway } from './gateway.ts';
import { makePartner, type Partner } from './partner.ts';
import { call, makeItem, type Response } from './scenario.ts';
import { isOfRequest } from './statements.ts';

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

export interface ToolScene {
  gateway: TestGateway;
  /** A firm with a key, and a client with one item. */
  partner: Partner;
  /** Of a support tool. */
  token: string;
  /** Sends it as that key. */
  ask(operation: Operation | Operation[] | string): Promise<Response>;
  /** Statements of the running test for requests, but for finding out whose token it is and the record of earlier answers. */
  read(): number;
}

/** A gateway that a support tool asks, for all tests of the file that calls this; filled in before the first of them. */
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
    scene.read = () =>
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
