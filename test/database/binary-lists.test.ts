// Guarantee: PostgreSQL reads a binary list as the same values in the same order, for every supported type.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { binaryList, type ListedType } from '#database/binary-lists.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { createDatabase, type TestDatabase } from '#test/support/database.ts';

let created: TestDatabase;
let database: Database;
beforeAll(async () => {
  created = await createDatabase();
  database = await openDatabase({ url: created.url });
});
afterAll(async () => {
  await database.close();
  await created.drop();
});

const VALUES: Record<ListedType, { sent: unknown[]; texts?: string[] }> = {
  boolean: { sent: [true, false], texts: ['true', 'false'] },
  bytea: { sent: [Buffer.alloc(0), Buffer.from([0, 255, 92])], texts: ['\\x', '\\x00ff5c'] },
  bigint: { sent: [0, -1, 65_536, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER] },
  smallint: { sent: [0, -32_768, 32_767] },
  integer: { sent: [0, -2_147_483_648, 2_147_483_647] },
  text: { sent: ['', 'null', '{"a",\\}', 'Zürich 東京 🜚'] },
  date: { sent: ['1969-12-31', '2000-01-01', '2024-02-29', '9999-12-31'] },
  timestamptz: {
    sent: ['1999-12-31T23:59:59.999Z', '2000-01-01T00:00:00.000Z', '2026-07-28T12:34:56.789Z'],
    texts: ['1999-12-31 23:59:59.999+00', '2000-01-01 00:00:00+00', '2026-07-28 12:34:56.789+00'],
  },
  uuid: {
    sent: ['00000000000000000000000000000000', '0190b3a1ffeeddccbbaa998877665544'],
    texts: ['00000000-0000-0000-0000-000000000000', '0190b3a1-ffee-ddcc-bbaa-998877665544'],
  },
};

const read = async (type: ListedType, list: readonly unknown[], prepare: boolean) => {
  const text = `select value::text from unnest($1::${type}[]) with ordinality as listed (value, n) order by n`;
  const rows = await database.query<{ value: string | null }>({ text, values: [binaryList(type, list)], prepare });
  return rows.map(({ value }) => value);
};

it.each(Object.entries(VALUES))(
  'PostgreSQL reads a list of %s as it was sent',
  async (type, { sent, texts = sent.map(String) }) => {
    for (const prepare of [true, false]) {
      expect(await read(type as ListedType, [null, ...sent, undefined], prepare)).toEqual([null, ...texts, null]);
      expect(await read(type as ListedType, sent, prepare)).toEqual(texts);
      expect(await read(type as ListedType, [], prepare)).toEqual([]);
    }
  },
);

it('binaryList refuses a value that is not of the type', () => {
  expect(() => binaryList('integer', [2 ** 31])).toThrow();
  for (const value of [Number.NaN, 1.5]) {
    expect(() => binaryList('smallint', [value])).toThrow();
    expect(() => binaryList('integer', [value])).toThrow();
    expect(() => binaryList('bigint', [value])).toThrow();
  }
  expect(() => binaryList('timestamptz', ['yesterday'])).toThrow();
  expect(() => binaryList('date', ['2026-13-01'])).toThrow();
  expect(() => binaryList('date', ['2026-01-01T12:00:00.000Z'])).toThrow();
  expect(() => binaryList('uuid', ['0190b3a1'])).toThrow();
});
