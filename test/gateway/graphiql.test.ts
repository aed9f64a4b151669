// Guarantee: the GraphiQL page is served outside production only, contains no data and runs no query by itself.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { call } from '#test/support/scenario.ts';
import { makeServiceToken } from '#test/support/tools.ts';

let development: TestGateway;
let production: TestGateway;

beforeAll(async () => {
  development = await startGateway();
  production = await startGateway({ databaseUrl: development.databaseUrl, env: { NODE_ENV: 'production' } });
});
afterAll(async () => {
  await production.stop();
  await development.stop();
});

const page = ({ internalUrl }: TestGateway, query = '', token: string | null = null) =>
  call(`${internalUrl}/graphql${query}`, token, { version: null, headers: { Accept: 'text/html,application/json' } });

describe('GET /graphql from a browser', () => {
  it('returns the page without a token and does not run the query of its URL', async () => {
    const response = await page(development, `?query=${encodeURIComponent('{ limiterState }')}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
    expect(response.text).not.toContain('standalone');
  });

  it('is 401 in production, and returns no page with a token', async () => {
    expect((await page(production)).status).toBe(401);
    const token = await makeServiceToken(production.database, 'ops');
    const response = await page(production, `?query=${encodeURIComponent('{ limiterState }')}`, token);
    expect(response.headers.get('content-type')).not.toContain('text/html');
  });
});
