// Synthetic data: their number, and that they depend on the seed only.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isId } from '#core/ids.ts';
import type { GeneratePlan } from '#repositories/synthetic/plan.ts';
import { openMigrated } from '#test/repositories/parties.ts';
import { type Generated, generate } from '#tools/generate/generate.ts';

type Opened = Awaited<ReturnType<typeof openMigrated>>;

const PLAN: GeneratePlan = {
  clients: 7,
  items: 500,
  seed: 42,
  valuations: 5,
  documents: 2,
  environment: 'sandbox',
  platformPrefix: 'PTC',
};
const TABLES = ['firms', 'users', 'collections', 'items', 'item_collections', 'share_links', 'valuations', 'documents'];

let first: Opened;
let second: Opened;
let made: Generated;
beforeAll(async () => {
  [first, second] = [await openMigrated(), await openMigrated()];
  made = await generate(first.database, PLAN);
});
afterAll(async () => {
  await first.close();
  await second.close();
});

/** The rows of all tables, without the times that the database sets. */
async function contents({ database }: Opened) {
  const written = `'{created_at,updated_at,populated_at}'::text[]`;
  return Promise.all(
    TABLES.map(async (table) => {
      const drop = ['firms', 'users', 'collections'].includes(table) ? written : `'{}'::text[]`;
      return database.query({ text: `select to_jsonb(t) - ${drop} as row from ${table} t order by 1` });
    }),
  );
}

const ids = ({ database }: Opened, table: string) =>
  database.query<{ id: string }>({ text: `select id from ${table}` });

describe('synthetic data', () => {
  it('have as many rows as requested, with valid ids', async () => {
    expect(made).toMatchObject({ created: true });
    expect(made.clientIds).toHaveLength(7);
    const kinds = { items: 'item', valuations: 'valuation', documents: 'document', share_links: 'share_link' } as const;
    const counts: Record<string, number> = {};
    for (const [table, kind] of Object.entries(kinds)) {
      const rows = await ids(first, table);
      expect(rows.every(({ id }) => isId(kind, id))).toBe(true);
      counts[table] = rows.length;
    }
    expect(counts).toEqual({ items: 500, valuations: 2_500, documents: 1_000, share_links: 50 });
  });

  it('depend on the seed only', async () => {
    await generate(second.database, PLAN);
    expect(await contents(second)).toEqual(await contents(first));
  });

  it('are created once: a second run reports that and changes nothing', async () => {
    const before = await contents(first);
    expect(await generate(first.database, { ...PLAN, items: 900 })).toEqual({ ...made, created: false });
    expect(await contents(first)).toEqual(before);
  });

  it('of another seed are added to them', async () => {
    const other = await generate(first.database, { ...PLAN, seed: 43, environment: 'production', items: 20 });
    expect(other.firmId).not.toBe(made.firmId);
    expect(await ids(first, 'items')).toHaveLength(520);
  });
});
