// Repositories: a client's portfolio as lines of an import, which recreate the same rows.
import { ASSET_FIELDS } from '#core/fields/asset.ts';
import { DOCUMENT_FIELDS } from '#core/fields/document.ts';
import { columnsOf, type FieldTable, linesOf } from '#core/fields/field.ts';
import { VALUATION_FIELDS } from '#core/fields/valuation.ts';
import type { Sql } from '#database/database.ts';
import { findRow } from '#database/rows.ts';
import { wireTime } from '#database/wire-types.ts';

/** Format of a client's export, named in its first line. */
export const EXPORT_FORMAT = 'portico-client-export/1';

export type Line = Record<string, unknown>;

/** Private fields of lines, which never leave the database. Each is stored in one column of the same name. */
export const WITHHELD: Readonly<Record<'assets' | 'valuations' | 'documents', readonly string[]>> = {
  assets: [...privateLines(ASSET_FIELDS), 'share_links.token'],
  valuations: privateLines(VALUATION_FIELDS),
  documents: privateLines(DOCUMENT_FIELDS),
};

function privateLines(fields: FieldTable): string[] {
  const hidden = linesOf(fields).filter(([, , { tier }]) => tier === 'P0');
  return hidden.map(([line, name, field]) => {
    if (columnsOf(name, field).join() !== line)
      throw new Error(`the private field ${name} has other columns than ${line}`);
    return line;
  });
}

/** Items per page; their dependent rows are read with them. */
const PAGE_ITEMS = 200;

const COLLECTION_IDS = `array(select m.collection_id from item_collections m where m.item_id = t.id order by 1) as collection_ids`;
const SHARE_LINKS = `(select coalesce(json_agg(json_strip_nulls(json_build_object('id', s.id, 'label', s.label,
    'created_at', ${wireTime('s.created_at')}, 'expires_at', ${wireTime('s.expires_at')})) order by s.id), '[]')
  from share_links s where s.item_id = t.id) as share_links`;

/** The columns of a kind of lines, from rows `t`; money as its amount and its currency. */
function selectList(fields: FieldTable): string {
  return linesOf(fields)
    .filter(([, , { tier }]) => tier !== 'P0')
    .flatMap(([line, name, field]) => {
      const [column, currency] = columnsOf(name, field);
      const value = field.type === 'number' ? `t.${column}::float8` : `t.${column}`;
      return [`${value} as ${line}`, ...(currency === undefined ? [] : [`t.${currency} as ${line}_currency`])];
    })
    .join(', ');
}

/** Converts a row of these columns to a line: composes money, and omits nulls and empty lists. */
function lineReader(fields: FieldTable): (row: Line) => Line {
  const money = linesOf(fields).flatMap(([line, , { type }]) => (type === 'money' ? [line] : []));
  return (row) => {
    for (const line of money) {
      const currency = row[`${line}_currency`];
      if (row[line] !== null) row[line] = { amount: row[line], currency };
      delete row[`${line}_currency`];
    }
    return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && !isEmptyList(value)));
  };
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const ASSETS = {
  columns: `${selectList(ASSET_FIELDS)}, ${COLLECTION_IDS}, ${SHARE_LINKS}`,
  read: lineReader(ASSET_FIELDS),
};
const VALUATIONS = { columns: selectList(VALUATION_FIELDS), read: lineReader(VALUATION_FIELDS) };
const DOCUMENTS = { columns: selectList(DOCUMENT_FIELDS), read: lineReader(DOCUMENT_FIELDS) };

/** The client's own line; null if there is no such client. */
export function readClientLine(sql: Sql, clientId: string): Promise<Line | null> {
  const text = `select id, email, name, role, environment, reporting_currency from users where id = $1 and role = 'client'`;
  return findRow(sql, { text, values: [clientId] });
}

/** Lines of collections, and of each page of items with its valuations and documents, by the kind of their file. */
export async function* portfolioLines(sql: Sql, clientId: string): AsyncGenerator<[kind: string, lines: Line[]]> {
  const collections = 'select id, client_id, name from collections where client_id = $1 order by id';
  yield ['collections', await sql.query<Line>({ text: collections, values: [clientId] })];
  for (let after = ''; ; ) {
    const items = await sql.query<Line>({
      text: `select ${ASSETS.columns} from items t where t.client_id = $1 and t.id > $2 order by t.id limit ${PAGE_ITEMS}`,
      values: [clientId, after],
    });
    const ids = items.map(({ id }) => id as string);
    if (items.length === 0) return;
    yield ['assets', items.map(ASSETS.read)];
    const ofItems = (table: string, columns: string) =>
      sql.query<Line>({
        text: `select ${columns} from ${table} t where t.item_id = any($1) order by t.item_id, t.id`,
        values: [ids],
      });
    yield ['valuations', (await ofItems('valuations', VALUATIONS.columns)).map(VALUATIONS.read)];
    yield ['documents', (await ofItems('documents', DOCUMENTS.columns)).map(DOCUMENTS.read)];
    if (items.length < PAGE_ITEMS) return;
    after = ids.at(-1) ?? after;
  }
}

/** The registry id by which each item is known to partners and in the record, including deleted items. */
export async function* registryLines(sql: Sql, clientId: string): AsyncGenerator<Line[]> {
  for (let after = ''; ; ) {
    const text = `select * from (
        select registry_id, id as item_id, null::timestamptz as deleted_at from items where client_id = $1
        union all select registry_id, null, deleted_at from deleted_items where client_id = $1) known
      where registry_id > $2 order by registry_id limit 1000`;
    const rows = await sql.query<Line>({ text, values: [clientId, after] });
    if (rows.length > 0)
      yield rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));
    if (rows.length < 1_000) return;
    after = rows.at(-1)?.registry_id as string;
  }
}
