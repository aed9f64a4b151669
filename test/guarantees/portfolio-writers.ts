// Writers that keep changing one client's portfolio: transactions of several steps, some long, some rolled back.

import { setTimeout as sleep } from 'node:timers/promises';
import { newId, registryId } from '#core/ids.ts';
import type { Database, Sql } from '#data/database.ts';
import type { Chance } from './chance.ts';

export const CATEGORIES = ['WT', 'AR', 'GM', 'OT'] as const;

export interface Stage {
  clientId: string;
  /** Ids of the client's collections. */
  collections: readonly string[];
}

/** One committed change of an item: `notes` counts up with every one. */
export interface Committed {
  itemId: string;
  notes: number;
  /** `performance.now()` at which the commit was acknowledged. */
  at: number;
}

export interface WritersLog {
  committed: Committed[];
  deleted: Set<string>;
  transactions: number;
  rolledBack: number;
}

type Noted = { itemId: string; notes: number };
/** Runs one change and tells which item's `notes` it moved, if any. */
type Step = (sql: Sql, stage: Stage, chance: Chance, log: WritersLog) => Promise<Noted | undefined>;

const run = async (sql: Sql, text: string, ...values: unknown[]) =>
  sql.query<{ id: string; notes: string | null }>({ text, values });

/** One of the client's items, taken roughly at random. */
const SOME_ITEM = `(select id from items where client_id = $1 and id > $2 order by id limit 1)`;

function somewhere(chance: Chance): string {
  return `itm_${'0123456789ABCDEFGHJK'.charAt(chance.below(8))}${Array.from({ length: 25 }, () =>
    '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.charAt(chance.below(32)),
  ).join('')}`;
}

function noted([row]: { id: string; notes: string | null }[]): Noted | undefined {
  return row === undefined ? undefined : { itemId: row.id, notes: Number(row.notes ?? 0) };
}

/** Ids all over the space, so that `SOME_ITEM` finds each about as often. */
export async function insertItem(sql: Sql, { clientId }: Stage, chance: Chance): Promise<Noted | undefined> {
  const id = somewhere(chance);
  const category = chance.pick(CATEGORIES);
  return noted(
    await run(
      sql,
      `insert into items (id, registry_id, client_id, category, title, market_value, notes) values ($1, $2, $3, $4, 'New', 10, '0')
       returning id, notes`,
      ...[id, registryId('PTC', category, id), clientId, category],
    ),
  );
}

const STEPS: readonly Step[] = [
  insertItem,
  async (sql, { clientId }, chance) =>
    noted(
      await run(
        sql,
        `update items set title = $3, notes = (revision + 1)::text where id = ${SOME_ITEM} returning id, notes`,
        ...[clientId, somewhere(chance), `Title ${chance.below(1e6)}`],
      ),
    ),
  async (sql, { clientId }, chance) =>
    noted(
      await run(
        sql,
        `update items set category = $3, notes = (revision + 1)::text where id = ${SOME_ITEM} returning id, notes`,
        ...[clientId, somewhere(chance), chance.pick(CATEGORIES)],
      ),
    ),
  async (sql, { clientId }, chance, log) => {
    if (chance.likely(0.5)) return undefined;
    const [row] = await run(
      sql,
      `delete from items where id = ${SOME_ITEM} returning id, notes`,
      clientId,
      somewhere(chance),
    );
    if (row !== undefined) log.deleted.add(row.id);
    return undefined;
  },
  // Nothing that a partner sees, and then something that it does, on the same item.
  async (sql, { clientId }, chance) => {
    const [row] = await run(
      sql,
      `update items set internal_notes = $3 where id = ${SOME_ITEM} returning id, notes`,
      ...[clientId, somewhere(chance), `secret ${chance.below(1e6)}`],
    );
    if (row !== undefined && chance.likely(0.7)) await addValuation(sql, row.id, chance);
    return undefined;
  },
  async (sql, { clientId, collections }, chance) => {
    await run(
      sql,
      `insert into item_collections (item_id, collection_id) select ${SOME_ITEM}, $3 where ${SOME_ITEM} is not null on conflict do nothing`,
      ...[clientId, somewhere(chance), chance.pick(collections)],
    );
    return undefined;
  },
  async (sql, { clientId, collections }, chance) => {
    await run(
      sql,
      `delete from item_collections where item_id = ${SOME_ITEM} and collection_id = $3`,
      ...[clientId, somewhere(chance), chance.pick(collections)],
    );
    return undefined;
  },
  async (sql, { collections }, chance) => {
    if (chance.likely(0.2))
      await run(
        sql,
        'update collections set name = $2 where id = $1',
        chance.pick(collections),
        `Name ${chance.below(99)}`,
      );
    return undefined;
  },
  async (sql, { clientId }, chance) => {
    const [row] = await run(sql, `select id, notes from items where id = ${SOME_ITEM}`, clientId, somewhere(chance));
    if (row !== undefined) await addValuation(sql, row.id, chance);
    return undefined;
  },
  async (sql, { clientId }, chance) => {
    await run(
      sql,
      `insert into documents (id, item_id, type, title) select $3, ${SOME_ITEM}, 'purchase_receipt', 'Paper' where ${SOME_ITEM} is not null`,
      ...[clientId, somewhere(chance), newId('document')],
    );
    return undefined;
  },
  async (sql, { clientId }, chance) => {
    await run(
      sql,
      `update documents set item_id = ${SOME_ITEM}, title = $3
       where ${SOME_ITEM} is not null and id = (select d.id from documents d join items i on i.id = d.item_id
         where i.client_id = $1 order by d.id desc limit 1)`,
      ...[clientId, somewhere(chance), `Paper ${chance.below(999)}`],
    );
    return undefined;
  },
  async (sql, { clientId }, chance) => {
    const table = chance.pick(['valuations', 'documents', 'share_links']);
    await run(
      sql,
      `delete from ${table} where id = (select d.id from ${table} d where d.item_id = ${SOME_ITEM} limit 1)`,
      ...[clientId, somewhere(chance)],
    );
    return undefined;
  },
  async (sql, { clientId }, chance) => {
    await run(
      sql,
      `insert into share_links (id, item_id, label, token) select $3, ${SOME_ITEM}, 'Link', 'token' where ${SOME_ITEM} is not null`,
      ...[clientId, somewhere(chance), newId('share_link')],
    );
    return undefined;
  },
];

async function addValuation(sql: Sql, itemId: string, chance: Chance): Promise<void> {
  await run(
    sql,
    `insert into valuations (id, item_id, source, amount, currency, valued_at)
     select $1, id, 'appraisal', $3, 'USD', now_ms() from items where id = $2`,
    ...[newId('valuation'), itemId, chance.below(1e6)],
  );
}

class Abandoned extends Error {}

async function transaction(database: Database, stage: Stage, chance: Chance, log: WritersLog): Promise<void> {
  const moved: Noted[] = [];
  const gone: WritersLog = { committed: [], deleted: new Set(), transactions: 0, rolledBack: 0 };
  const long = chance.likely(0.08);
  try {
    await database.transaction(async (sql) => {
      await sql.query({ text: "set local lock_timeout = '400ms'" });
      for (let steps = 1 + chance.below(4); steps > 0; steps--) {
        const guarded = chance.likely(0.5);
        const undo = guarded && chance.likely(0.4);
        if (guarded) await sql.query({ text: 'savepoint step' });
        const change = await chance.pick(STEPS)(sql, stage, chance, gone);
        if (undo) await sql.query({ text: 'rollback to savepoint step' });
        else {
          if (guarded) await sql.query({ text: 'release savepoint step' });
          if (change !== undefined) moved.push(change);
        }
        await sleep(long ? 200 + chance.below(900) : chance.below(8));
      }
      if (chance.likely(0.1)) throw new Abandoned();
    });
    const at = performance.now();
    for (const change of moved) log.committed.push({ ...change, at });
    for (const id of gone.deleted) log.deleted.add(id);
    log.transactions += 1;
  } catch (error) {
    // Lock timeouts, deadlocks and items that another writer deleted are this writer's own affair.
    const { code = '' } = error as { code?: string };
    if (!(error instanceof Abandoned) && !['55P03', '40P01', '23503', '23505'].includes(code)) throw error;
    log.rolledBack += 1;
  }
}

/** Starts `count` writers; `stop` waits for their open transactions. */
export function startWriters(
  database: Database,
  stage: Stage,
  chance: Chance,
  count: number,
): { log: WritersLog; stop(): Promise<void> } {
  const log: WritersLog = { committed: [], deleted: new Set(), transactions: 0, rolledBack: 0 };
  let on = true;
  const writers = Array.from({ length: count }, async (_, index) => {
    const own = chance.fork(index);
    while (on) await transaction(database, stage, own, log);
  });
  return {
    log,
    async stop() {
      on = false;
      await Promise.all(writers);
    },
  };
}
