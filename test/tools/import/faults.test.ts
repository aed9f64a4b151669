// The faults of an import: which ones are found, and how they are listed.

import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { acceptInvitation, inviteMember, linkInvitation } from '#repositories/firms/invitations.ts';
import { untilBlocked } from '#test/support/locks.ts';
import { DirectoryError, type Fault } from '#tools/import/faults.ts';
import { importDirectory } from '#tools/import/import-directory.ts';
import { type Line, readLines } from '#tools/import/lines.ts';
import {
  asset,
  client,
  collection,
  type Directory,
  document,
  firm,
  idOf,
  ONE_OF_EACH,
  openScene,
  type Scene,
  valuation,
  writeDirectory,
} from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

const short = (faults: Fault[]) => faults.map(({ file, line, field }) => `${file}:${line}:${field}`);

async function expectEmpty(): Promise<void> {
  const [row] = await scene.rows(
    `select (select count(*) from firms) + (select count(*) from users) + (select count(*) from items)
       + (select count(*) from collections) + (select count(*) from deleted_ids) as count`,
  );
  expect(row.count).toBe(0);
}

describe('a directory with faults', () => {
  it('has them listed with file, line, field and reason, over all files, and nothing is written', async () => {
    const faults = await scene.refused({
      firms: [firm, { ...firm, id: 'frm_1' }],
      users: [client, { ...client, id: idOf('usr', 2), email: 'nobody', reporting_currency: null }],
      assets: [asset, { ...asset, id: idOf('itm', 2), category: 'XX', colour: 'red', title: undefined }],
      documents: [{ ...document, issued_on: '2024-02-30' }],
    });
    expect(short(faults)).toEqual([
      'firms.ndjson:2:id',
      'users.ndjson:2:email',
      'users.ndjson:2:reporting_currency',
      'assets.ndjson:2:colour',
      'assets.ndjson:2:category',
      'assets.ndjson:2:title',
      'documents.ndjson:1:issued_on',
    ]);
    expect(faults[0]?.reason).toBe('must be an id: frm_ and a ULID');
    await expectEmpty();
  });

  it('has faults between lines in the same list', async () => {
    const stranger = { ...client, id: idOf('usr', 2), email: 'bea@example.com' };
    const faults = await scene.refused({
      users: [
        client,
        stranger,
        { ...client, id: idOf('usr', 3), email: 'ANNE@example.com' },
        { id: idOf('usr', 4), email: 'm@example.com', name: 'M', role: 'firm_member', firm_id: firm.id },
      ],
      collections: [collection, collection, { ...collection, id: idOf('col', 2), client_id: idOf('usr', 4) }],
      assets: [
        { ...asset, client_id: idOf('usr', 9) },
        { ...asset, id: idOf('itm', 2), client_id: stranger.id, collection_ids: [collection.id, idOf('col', 9)] },
        { ...asset, id: idOf('itm', 3), share_links: [{ id: idOf('shl', 1) }] },
        { ...asset, id: idOf('itm', 4), share_links: [{ id: idOf('shl', 1) }] },
        { ...asset, id: idOf('itm', 4) },
      ],
      valuations: [{ ...valuation, asset_id: idOf('itm', 9) }],
    });
    expect(short(faults)).toEqual([
      'users.ndjson:3:email',
      'users.ndjson:4:firm_id',
      'collections.ndjson:2:id',
      'collections.ndjson:3:client_id',
      'assets.ndjson:1:client_id',
      'assets.ndjson:2:collection_ids',
      'assets.ndjson:2:collection_ids',
      'assets.ndjson:4:share_links',
      'assets.ndjson:5:id',
      'valuations.ndjson:1:asset_id',
    ]);
    await expectEmpty();
  });

  it('has a hundred faults listed at most', async () => {
    const assets = Array.from({ length: 500 }, (_, index) => ({ ...asset, id: idOf('itm', index), title: null }));
    expect(await scene.refused({ assets })).toHaveLength(100);
  });

  it('has no faults listed for rows that only refer to a faulty row', async () => {
    const faults = await scene.refused({ ...ONE_OF_EACH, assets: [{ ...asset, title: 7 }] });
    expect(short(faults)).toEqual(['assets.ndjson:1:title']);
  });
});

const RIGHT = JSON.stringify(firm);
const LINES: [string, Directory, string[]][] = [
  ['JSON that is cut off', { firms: `${RIGHT}\n{"id":` }, ['firms.ndjson:2:null']],
  ['a line that is not an object', { firms: `[]\n\n"x"\n${RIGHT}` }, ['firms.ndjson:1:null', 'firms.ndjson:3:null']],
  ['bytes that are not UTF-8', { firms: Buffer.from(`${RIGHT}\n"\xff"\n`, 'latin1') }, ['firms.ndjson:2:null']],
  [
    'a line that is too long',
    { firms: `${RIGHT}\n${'x'.repeat(3_000_000)}\n{}` },
    ['firms.ndjson:2:null', 'firms.ndjson:3:id', 'firms.ndjson:3:name'],
  ],
  ['NUL', { firms: '{"id":"frm_01HMW000000000000000000001","name":"a\\u0000"}' }, ['firms.ndjson:1:name']],
  [
    'half a surrogate pair',
    { firms: '{"id":"frm_01HMW000000000000000000001","name":"\\ud83d"}' },
    ['firms.ndjson:1:name'],
  ],
];

describe('a line that cannot be read', () => {
  it.each(LINES)('is a fault: %s', async (_name, directory, expected) => {
    expect(short(await scene.refused(directory))).toEqual(expected);
  });
});

describe('a line that is longer than one read', () => {
  it('is assembled once, and not copied with every read', async () => {
    const long = `é${'x'.repeat(4_000_000)}é`;
    const directory = await writeDirectory({ firms: `${long}\n\n${long}\nshort` });
    const concat = vi.spyOn(Buffer, 'concat');
    try {
      const lines: Line[] = [];
      for await (const block of readLines(join(directory, 'firms.ndjson'), 8_000_000)) lines.push(...block.lines);
      const copied = concat.mock.results.reduce((sum, { value }) => sum + value.length, 0);
      expect(lines.map(({ number, text }) => [number, text === long || text])).toEqual([
        ...[
          [1, true],
          [3, true],
          [4, 'short'],
        ],
      ]);
      expect(copied).toBeLessThan(3 * long.length);
    } finally {
      concat.mockRestore();
      await rm(directory, { recursive: true });
    }
  });
});

const VALUES: [field: string, value: unknown][] = [
  ['market_value', 9000],
  ['market_value', '-1'],
  ['market_value', '1.001'],
  ['market_value', '1e3'],
  ['quantity', -1],
  ['quantity', 1.00001],
  ['quantity', 100_000_000_000],
  ['quantity', '1'],
  ['purchase_price', '12'],
  ['purchase_price', { amount: '1.5', currency: 'JPY' }],
  ['purchase_price', { amount: '1.0000', currency: 'BHD' }],
  ['purchase_price', { amount: '1', currency: 'usd' }],
  ['purchase_price', { amount: '1' }],
  ['purchase_price', { amount: '1', currency: 'USD', note: 'x' }],
  ['purchased_on', '2024-1-1'],
  ['updated_at', '2024-01-01 10:00:00'],
  ['updated_at', '2024-01-01T10:00:00'],
  ['category_fields', []],
  ['category_fields', { year: 'old' }],
  ['category_fields', { codes: [2 ** 53] }],
  ['heirs', [{ name: 'A', share_percent: 100.5 }]],
  ['heirs', [{ name: 'A', share_percent: 33.333 }]],
  ['heirs', [{ relationship: 'son' }]],
  ['heirs', [null]],
  ['share_links', [{ id: idOf('shl', 1), active: true }]],
  ['readiness', { score: 101 }],
  ['readiness', { score: 50.5 }],
  ['verification', { status: 'fine' }],
  ['verification', { scans: [{ scanned_at: '2024-01-01T00:00:00Z', method: 'eye', result: 'match' }] }],
  ['collection_ids', 'col'],
  ['registry_id', 'PTC-WT-01HMW000000000000000000001'],
  ['deleted_at', 'yesterday'],
];

const written = (field: string, json: string) => `${JSON.stringify(asset).slice(0, -1)},"${field}":${json}}`;

describe('a line that is nested deeply', () => {
  it.each([
    ['is nested deeper than 16 levels', 17, '1'],
    ['is nested too deeply', 200_000, '1.234567890123456'],
  ])('%s', async (reason, depth, number) => {
    const nested = `{"a":${'['.repeat(depth - 1)}${number}${']'.repeat(depth - 1)}}`;
    const [fault] = await scene.refused({ users: [client], assets: written('category_fields', nested) });
    expect(fault?.reason).toBe(reason);
  });
});

describe('a text', () => {
  it('has its length counted in characters, not in UTF-16 units', async () => {
    const long = (count: number) => '\u{1F600}'.repeat(count);
    const row = { ...asset, id: idOf('itm', 2), title: long(1_000), description: long(100_000) };
    expect((await scene.load({ users: [client], assets: [row] })).assets.inserted).toBe(1);
    const more = { ...row, title: long(1_001), description: long(100_001) };
    const faults = await scene.refused({ users: [client], assets: [more] });
    expect(short(faults)).toEqual(['assets.ndjson:1:title', 'assets.ndjson:1:description']);
  });
});

describe('a wrong value', () => {
  it.each(VALUES)('is a fault of %s: %j', async (field, value) => {
    const faults = await scene.refused({ users: [client], assets: [{ ...asset, [field]: value }] });
    expect(short(faults)).toContain(`assets.ndjson:1:${field}`);
    expect(faults.every((fault) => fault.reason !== '')).toBe(true);
  });
});

describe('a field with members', () => {
  it('has all its faults listed, each with its place', async () => {
    const row = {
      ...asset,
      purchase_price: { amount: -1, currency: 'usd', note: 'x' },
      category_fields: { brand: 1, year: 'old' },
      heirs: [{ nickname: 'A', share_percent: 100.5 }, null],
      verification: { status: 'fine', scans: [{ method: 'eye', result: 'match' }] },
      collection_ids: ['col', 7],
    };
    const faults = await scene.refused({ users: [client], assets: [row] });
    const reasons = faults.map(({ field, reason }) => `${field} ${reason}`);
    const amount = 'must be a decimal amount as text, such as "12500.00", and not negative';
    const listed = [
      'purchase_price has an unknown member "note"',
      'purchase_price currency must be an ISO 4217 currency code',
      `purchase_price amount ${amount}`,
      'heirs [0] has an unknown member "nickname"',
      'heirs [0] name is required',
      'heirs [0] share_percent must be a number from 0 to 100 with at most 2 decimals',
      'heirs [1] must not be null',
      'verification status must be one of unverified, pending, verified, failed',
      'verification scans [0] scanned_at is required',
      'verification scans [0] method must be one of nfc, qr, photo, manual',
      'collection_ids [0] must be an id: col_ and a ULID',
      'collection_ids [1] must be an id: col_ and a ULID',
      'category_fields does not follow the schema of WT: /brand must be string',
      'category_fields does not follow the schema of WT: /year must be integer',
    ];
    expect(reasons.sort()).toEqual(listed.sort());
  });
});

describe('a number', () => {
  it.each([
    ['category_fields', '{"weight_g":41.123456789012345678}'],
    ['category_fields', '{"weight_g":0.10000000000000001}'],
    ['category_fields', '{"parts":[{"weight_g":4503599627370497.25}]}'],
    ['category_fields', '{"weight_g":1e-400}'],
    ['category_fields', '{"weight_g":-1e400}'],
    ['category_fields', '{"year":9007199254740993}'],
    ['quantity', '1.00000000000000001'],
    ['heirs', '[{"name":"A","share_percent":33.330000000000000001}]'],
    ['readiness', '{"score":50.0000000000000000001}'],
  ])('that cannot be stored exactly is a fault of %s: %s', async (field, json) => {
    const faults = await scene.refused({ users: [client], assets: written(field, json) });
    expect(short(faults)).toEqual([`assets.ndjson:1:${field}`]);
  });

  it('is reported with its path in the category fields', async () => {
    const line = written('category_fields', '{"parts":[{"weight_g":1},{"weight_g":1.23456789012345678}]}');
    const [fault] = await scene.refused({ users: [client], assets: line });
    expect(fault?.reason).toMatch(/^\/parts\/1\/weight_g is a number that cannot be kept/);
    const two = written('category_fields', '{"year":9007199254740993,"parts":[9007199254740993]}');
    expect(await scene.refused({ users: [client], assets: two })).toHaveLength(2);
  });

  it('that can be stored exactly is stored to its last digit', async () => {
    const numbers = [
      ...['0.30000000000000004', '1234567890.12345', '18.50', '1.50000000000000000000', '-0.00001234567890123'],
      ...['9007199254740991', '5e-324', '2.5e-7', '1e2', '0e-999'],
    ];
    const fields = `{"numbers":[${numbers.join(',')}],"text":"41.123456789012345678"}`;
    await scene.load({ users: [client], assets: written('category_fields', fields) });
    const [{ same }] = await scene.rows('select category_fields = $1::jsonb as same from items where id = $2', [
      fields,
      asset.id,
    ]);
    expect(same).toBe(true);
  });
});

describe('a directory as a whole', () => {
  it('is refused if a file has an unknown name', async () => {
    await expect(scene.load({ firms: [firm], asset: [] })).rejects.toThrow('asset.ndjson');
  });

  it('is refused if a file is a dangling link', async () => {
    const directory = await writeDirectory({ users: [client] });
    await symlink(join(directory, 'nowhere'), join(directory, 'firms.ndjson'));
    const refused = expect(importDirectory(scene.database, { directory, platformPrefix: 'PTC' })).rejects;
    await refused.toThrow(DirectoryError);
    await rm(directory, { recursive: true });
  });

  it('is refused if it has nothing to load', async () => {
    await expect(scene.load({})).rejects.toThrow('nothing to load');
  });
});

it('an address with which somebody joins a firm during the import is reported as taken', async () => {
  const own = await openScene();
  const person = { email: 'nora@example.com', name: 'Nora' };
  await own.load({ firms: [firm] });
  const system = { kind: 'system', id: 'test' } as const;
  const invitation = await inviteMember(own.database, firm.id, { ...person, role: 'administrator' }, system);
  const link = await linkInvitation(own.database, invitation.id);
  const { userId, refused } = await own.database.transaction(async (sql) => {
    const joined = await acceptInvitation(sql, link?.token ?? '', person.name);
    const users = [{ ...person, id: idOf('usr', 1), role: 'firm_member', firm_id: firm.id }];
    const importing = own.refused({ users }).catch((error: Error) => error);
    await untilBlocked(own.database);
    return { ...joined, refused: () => importing };
  });
  const reason = `belongs to ${userId} already, in the same role`;
  expect(await refused()).toEqual([{ file: 'users.ndjson', line: 1, field: 'email', reason }]);
  await own.close();
});
