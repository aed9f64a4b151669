// Database: parsers that convert column values to wire format.
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { getOrInsert } from '#core/get-or-insert.ts';
import { timestampFromPostgres } from '#core/timestamps.ts';
import type { ParserOf } from './prepared-read.ts';

const identity = (text: string) => text;
const TEXT_ARRAY = 1009;
const MAX_LISTS = 1_000;

const WIRE_PARSERS = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.TIMESTAMPTZ, timestampFromPostgres],
  [pg.types.builtins.DATE, identity],
  [pg.types.builtins.NUMERIC, identity],
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.JSON, parseJson],
  [pg.types.builtins.JSONB, parseJson],
  // Most lists read are codes from few reference rows. Parsing one would cost more than the rest of its row.
  [TEXT_ARRAY, memoized(pg.types.getTypeParser(TEXT_ARRAY as number, 'text'))],
]);

/** Column values in wire format: timestamps with milliseconds, dates and numerics as text, counts as numbers. */
export const parserOf: ParserOf = (oid) => WIRE_PARSERS.get(oid) ?? pg.types.getTypeParser(oid, 'text');
export const WIRE_TYPES = { getTypeParser: parserOf } as pg.CustomTypesConfig;

/** SQL for an instant in wire format, for use in JSON, which the parsers do not convert. */
export const wireTime = (instant: string): string =>
  `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const NOTHING: readonly never[] = Object.freeze([]);

/** Most lists in a portfolio are empty. */
function parseJson(text: string): unknown {
  return text === '[]' ? NOTHING : JSON.parse(text);
}

/** Caches results, frozen. */
function memoized(parse: (text: string) => readonly string[]): (text: string) => readonly string[] {
  const cache = new LRUCache<string, readonly string[]>({ max: MAX_LISTS });
  return (text) => getOrInsert(cache, text, () => Object.freeze(parse(text)));
}
