// Single changes of one client's portfolio: every kind that a partner can see, and one that it cannot.

import { newId, registryId } from '#core/ids.ts';
import type { Sql } from '#database/database.ts';
import type { Chance } from './chance.ts';

export interface Stage {
  clientId: string;
  /** Ids of the client's collections. */
  collections: readonly string[];
}

/** The item that a change affected; `notes` increases with each change that sets it, and is null for a deletion. */
export interface Done {
  itemId: string;
  notes: number | null;
}

export type Step = (sql: Sql, stage: Stage, chance: Chance) => Promise<Done | undefined>;

const CATEGORIES = ['WT', 'AR', 'GM', 'OT'] as const;
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A random item id, so that SOME_ITEM finds each item of the client about equally often. */
function randomId(chance: Chance): string {
  return `itm_${chance.below(8)}${Array.from({ length: 25 }, () => ALPHABET.charAt(chance.below(32))).join('')}`;
}

/** The first of the client's ($1) items after a random id ($2). */
const SOME_ITEM = '(select id from items where client_id = $1 and id > $2 order by id limit 1)';

/** Runs a statement about SOME_ITEM and returns its row, if any. */
async function change(
  sql: Sql,
  { clientId }: Stage,
  chance: Chance,
  text: string,
  ...values: unknown[]
): Promise<{ id: string; notes: string | null } | undefined> {
  const bound = [clientId, randomId(chance), ...values];
  const [row] = await sql.query<{ id: string; notes: string | null }>({ text, values: bound });
  return row;
}

/** Sets a column of some item, and its notes to the new revision. */
const update =
  (column: string, value: (chance: Chance) => unknown): Step =>
  async (sql, stage, chance) => {
    const text = `update items set ${column} = $3, notes = (revision + 1)::text where id = ${SOME_ITEM} returning id, notes`;
    const row = await change(sql, stage, chance, text, value(chance));
    return row === undefined ? undefined : { itemId: row.id, notes: Number(row.notes) };
  };

/** A change that does not set the notes. */
const changeWithoutNotes =
  (text: string, value: (chance: Chance, stage: Stage) => unknown[]): Step =>
  async (sql, stage, chance) => {
    await change(sql, stage, chance, text, ...value(chance, stage));
    return undefined;
  };

export const insertItem: Step = async (sql, { clientId }, chance) => {
  const id = randomId(chance);
  const category = chance.pick(CATEGORIES);
  await sql.query({
    text: `insert into items (id, registry_id, client_id, category, title, market_value, notes)
      values ($1, $2, $3, $4, 'New', 10, '0')`,
    values: [id, registryId('PTC', category, id), clientId, category],
  });
  return { itemId: id, notes: 0 };
};

const deleteItem: Step = async (sql, stage, chance) => {
  if (chance.likely(0.5)) return undefined;
  const row = await change(sql, stage, chance, `delete from items where id = ${SOME_ITEM} returning id, notes`);
  return row === undefined ? undefined : { itemId: row.id, notes: null };
};

const addValuation = async (sql: Sql, itemId: string, chance: Chance) =>
  sql.query({
    text: `insert into valuations (id, item_id, source, amount, currency, valued_at)
      values ($1, $2, 'appraisal', $3, 'USD', now_ms())`,
    values: [newId('valuation'), itemId, chance.below(1e6)],
  });

/** A change that partners cannot see, then one that they can, on the same item. */
const noteThenValue: Step = async (sql, stage, chance) => {
  const text = `update items set internal_notes = $3 where id = ${SOME_ITEM} returning id, notes`;
  const row = await change(sql, stage, chance, text, `secret ${chance.below(1e6)}`);
  if (row !== undefined && chance.likely(0.7)) await addValuation(sql, row.id, chance);
  return undefined;
};

const valueOnly: Step = async (sql, stage, chance) => {
  const row = await change(sql, stage, chance, `select id, notes from items where id = ${SOME_ITEM}`);
  if (row !== undefined) await addValuation(sql, row.id, chance);
  return undefined;
};

const removeOneOf = (table: string): Step =>
  changeWithoutNotes(
    `delete from ${table} where id = (select d.id from ${table} d where d.item_id = ${SOME_ITEM} limit 1)`,
    () => [],
  );

export const STEPS: readonly Step[] = [
  ...[insertItem, deleteItem, noteThenValue, valueOnly],
  update('title', (chance) => `Title ${chance.below(1e6)}`),
  update('category', (chance) => chance.pick(CATEGORIES)),
  changeWithoutNotes(
    `insert into item_collections (item_id, collection_id)
     select ${SOME_ITEM}, $3 where ${SOME_ITEM} is not null on conflict do nothing`,
    (chance, { collections }) => [chance.pick(collections)],
  ),
  changeWithoutNotes(
    `delete from item_collections where item_id = ${SOME_ITEM} and collection_id = $3`,
    (chance, { collections }) => [chance.pick(collections)],
  ),
  changeWithoutNotes(
    `update collections set name = $3 where client_id = $1 and id = $4 and $2 < 'itm_2'`,
    (chance, { collections }) => [`Name ${chance.below(99)}`, chance.pick(collections)],
  ),
  changeWithoutNotes(
    `insert into documents (id, item_id, type, title)
     select $3, ${SOME_ITEM}, 'purchase_receipt', 'Paper' where ${SOME_ITEM} is not null`,
    () => [newId('document')],
  ),
  changeWithoutNotes(
    `update documents set item_id = ${SOME_ITEM}, title = $3 where ${SOME_ITEM} is not null and id = (
       select d.id from documents d join items i on i.id = d.item_id where i.client_id = $1 order by d.id desc limit 1)`,
    (chance) => [`Paper ${chance.below(999)}`],
  ),
  changeWithoutNotes(
    `insert into share_links (id, item_id, label, token)
     select $3, ${SOME_ITEM}, 'Link', 'token' where ${SOME_ITEM} is not null`,
    () => [newId('share_link')],
  ),
  ...['valuations', 'documents', 'share_links'].map(removeOneOf),
];
