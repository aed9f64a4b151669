// A partner with a portfolio, in a database served by separate processes, and the check of its responses.

import { expect } from 'vitest';
import { type Database, openDatabase } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import type { User } from '#repositories/users.ts';
import { pathFor } from '#test/support/partner.ts';
import {
  furnish,
  type Item,
  type Key,
  makeClient,
  makeFirm,
  makeGrant,
  makeItem,
  makeKey,
  VERSION,
} from '#test/support/scenario.ts';
import type { Sent, Wanted } from './load.ts';

export interface Portfolio {
  database: Database;
  key: Key;
  client: User;
  items: Item[];
  /** The request with this number: lists, single assets, summaries and valuations in turn. */
  wanted(url: string): (count: number) => Wanted;
  /** Request ids of the client's access record, with the status of each. */
  records(): Promise<Map<string, number>>;
}

const ITEMS = 3;

/** Migrates the database and fills it. `database` stays open for the test. */
export async function makePortfolio(url: string, prepare = true): Promise<Portfolio> {
  const database = await openDatabase({ url, prepare });
  await migrate(database, 'PTC');
  const key = await makeKey(database, await makeFirm(database));
  const client = await makeClient(database);
  await makeGrant(database, key, client);
  const items: Item[] = [];
  for (let count = 0; count < ITEMS; count++) items.push(await makeItem(database, client));
  for (const item of items) await furnish(database, client, item);
  const headers = { Authorization: `Bearer ${key.secret}`, 'X-Service-Version': VERSION };
  const paths = [
    '/assets?include=documents',
    `/assets/${items[0]?.registryId}`,
    '/portfolio/summary',
    `/assets/${items[1]?.registryId}/valuations`,
  ];
  return {
    database,
    key,
    client,
    items,
    wanted: (base) => (count) => ({ url: base + pathFor(client.id, paths[count % paths.length] ?? ''), headers }),
    async records() {
      const rows = await database.query<{ request_id: string; status: number }>({
        text: 'select request_id, status from recorded_calls where client_id = $1',
        values: [client.id],
      });
      return new Map(rows.map((row) => [row.request_id, row.status]));
    },
  };
}

/** A body without the members that differ in each response. */
export const lastingPart = (text: string): string => text.replace(/"(as_of|next_cursor)":"[^"]*"/g, '');

/** Expects the same data in each 200, and otherwise 503 with Retry-After, in time; returns counts by status. */
export function expectDataOr503(sent: readonly Sent[], atMostMs: number): Record<number, number> {
  const counts: Record<number, number> = {};
  const bodies = new Map<string, string>();
  for (const { url, status, headers, text, started, ended, error } of sent) {
    counts[status] = (counts[status] ?? 0) + 1;
    expect(error, `${url} got no complete response`).toBeNull();
    expect(ended - started, `${url} took too long to answer ${status}`).toBeLessThan(atMostMs);
    if (status === 200) {
      const stable = lastingPart(text);
      expect(stable, `${url} returned other data than before`).toBe(bodies.get(url) ?? stable);
      bodies.set(url, stable);
      continue;
    }
    expect({ status, code: JSON.parse(text).error.code }).toEqual({ status: 503, code: 'service_unavailable' });
    expect(headers['retry-after']).toMatch(/^\d+$/);
    expect(headers['x-request-id']).toMatch(/^req_/);
    expect(headers['x-ratelimit-limit']).toMatch(/^\d+$/);
  }
  return counts;
}
