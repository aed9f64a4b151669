// The rows that an import stores, and the changes that it refuses.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asset, client, document, firm, idOf, ONE_OF_EACH, openScene, type Scene, valuation } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

describe('a stored row', () => {
  it('has its address in lower case if that has non-ASCII capitals', async () => {
    await scene.load({ users: [{ ...client, email: 'ÉMILE@Example.com' }] });
    expect(await scene.rows('select email from users')).toEqual([{ email: 'émile@example.com' }]);
    await scene.load({ users: [{ ...client, email: 'Emile@Example.com' }] });
    expect(await scene.rows('select email from users')).toEqual([{ email: 'Emile@Example.com' }]);
  });

  it('is normalised: amounts to the decimals of their currency, timestamps to UTC, scans newest first', async () => {
    const yen = { ...client, id: idOf('usr', 2), email: 'y@example.com', reporting_currency: 'JPY' };
    const dinar = { ...client, id: idOf('usr', 3), email: 'd@example.com', reporting_currency: 'BHD' };
    // In ISO 4217 since 2025.
    const guilders = { amount: '5', currency: 'XCG' };
    await scene.load({
      users: [client, yen, dinar],
      assets: [
        { ...asset, market_value: '0009.5', purchase_price: { amount: '3', currency: 'BHD' }, quantity: 0.0001 },
        { ...asset, id: idOf('itm', 2), client_id: yen.id, market_value: '1500000', insurance_value: guilders },
        {
          ...asset,
          id: idOf('itm', 3),
          client_id: dinar.id,
          market_value: '1.5',
          verification: {
            verified_at: '2024-01-01T01:00:00+01:00',
            scans: [
              { scanned_at: '2024-01-01T00:00:00Z', method: 'nfc', result: 'match' },
              { scanned_at: '2024-03-01T00:00:00.1234Z', method: 'qr', result: 'mismatch' },
            ],
          },
          heirs: [{ name: 'Ann', share_percent: 33.33 }],
          readiness: { score: 40 },
        },
      ],
    });
    const items = await scene.rows('select * from items order by id');
    expect(items.map(({ market_value }) => market_value)).toEqual(['9.50', '1500000', '1.500']);
    expect(items[0]).toMatchObject({
      registry_id: 'PTC-WT-01HMW000000000000000000001',
      purchase_amount: '3.000',
      purchase_currency: 'BHD',
      quantity: '0.0001',
      heirs: [],
      readiness: null,
      verification: null,
    });
    expect(items[1]).toMatchObject({ insurance_amount: '5.00', insurance_currency: 'XCG' });
    expect(items[2]).toMatchObject({
      heirs: [{ name: 'Ann', relationship: null, share_percent: 33.33 }],
      readiness: { score: 40, missing: [] },
      verification: {
        status: 'unverified',
        verified_at: '2024-01-01T00:00:00.000Z',
        risk_score: null,
        tamper_state: null,
        last_scan_at: null,
        scans: [
          { scanned_at: '2024-03-01T00:00:00.123Z', method: 'qr', result: 'mismatch' },
          { scanned_at: '2024-01-01T00:00:00.000Z', method: 'nfc', result: 'match' },
        ],
      },
    });
  });

  it('has the time of its id as created_at if the file has none', async () => {
    await scene.load({ ...ONE_OF_EACH });
    const [item] = await scene.rows('select created_at from items where id = $1', [asset.id]);
    const [row] = await scene.rows('select created_at from valuations where id = $1', [valuation.id]);
    expect(item.created_at).toMatch(/^2024-01-23T/);
    expect(row.created_at).toBe(item.created_at);
  });

  it('is replaced as a whole: what a later file omits is deleted or gets its default', async () => {
    const full = {
      ...asset,
      quantity: 3,
      notes: 'n',
      internal_notes: 'p0',
      collection_ids: [idOf('col', 1)],
      heirs: [{ name: 'Ann' }],
      share_links: [{ id: idOf('shl', 1), label: 'a', token: 't' }, { id: idOf('shl', 2) }],
      verification: {},
    };
    await scene.load({ ...ONE_OF_EACH, assets: [full], documents: [{ ...document, issuer: 'X', file_size: 7 }] });
    await scene.load({
      firms: [{ id: firm.id, name: 'Hartwell' }],
      assets: [{ ...asset, quantity: null, market_value: null, share_links: [{ id: idOf('shl', 2), label: 'b' }] }],
      documents: [document],
    });
    const [item] = await scene.rows('select * from items where id = $1', [asset.id]);
    expect(item).toMatchObject({
      quantity: '1.0000',
      market_value: null,
      notes: null,
      internal_notes: null,
      heirs: [],
    });
    expect(item.verification).toBeNull();
    expect(await scene.rows('select * from item_collections')).toEqual([]);
    expect(await scene.rows('select id, label from share_links')).toEqual([{ id: idOf('shl', 2), label: 'b' }]);
    expect(await scene.rows('select issuer, file_size from documents')).toEqual([{ issuer: null, file_size: null }]);
    expect(await scene.rows('select plan, plan_active, tier from firms')).toEqual([
      { plan: 'none', plan_active: false, tier: 'standard' },
    ]);
  });

  it('keeps the registry id when the category changes', async () => {
    await scene.load({ assets: [{ ...asset, category: 'CL' }] });
    const [item] = await scene.rows('select category, registry_id from items where id = $1', [asset.id]);
    expect(item).toEqual({ category: 'CL', registry_id: 'PTC-WT-01HMW000000000000000000001' });
  });
});

describe('a change that is not allowed', () => {
  it('is refused: the client of a row or its asset, and currency or environment of a client with assets', async () => {
    const other = { ...client, id: idOf('usr', 8), email: 'other@example.com' };
    await scene.load({ ...ONE_OF_EACH, users: [client, other] });
    await scene.load({ assets: [{ ...asset, id: idOf('itm', 8), client_id: other.id }] });
    const faults = await scene.refused({
      users: [{ ...client, reporting_currency: 'EUR', environment: 'production' }],
      collections: [{ id: idOf('col', 1), client_id: other.id, name: 'House' }],
      assets: [{ ...asset, client_id: other.id }],
      valuations: [{ ...valuation, asset_id: idOf('itm', 8) }],
      documents: [{ ...document, asset_id: idOf('itm', 8) }],
    });
    expect(faults.map(({ file, field }) => `${file}:${field}`)).toEqual([
      'users.ndjson:environment',
      'users.ndjson:reporting_currency',
      'collections.ndjson:client_id',
      'assets.ndjson:client_id',
      'valuations.ndjson:asset_id',
      'documents.ndjson:asset_id',
    ]);
  });

  it('is refused: the environment of a test client', async () => {
    const test = { ...client, id: idOf('usr', 4), email: 'test@example.com' };
    await scene.load({ firms: [firm], users: [test] });
    await scene.rows('update users set test_firm_id = $1 where id = $2', [firm.id, test.id]);
    expect(await scene.refused({ users: [{ ...test, environment: 'production' }] })).toMatchObject([
      { field: 'environment', reason: 'cannot change: the client is a test client of a firm' },
    ]);
  });
});

describe('an address', () => {
  const other = { ...client, id: idOf('usr', 8), email: 'other@example.com' };
  const notices = () =>
    scene.rows(
      `select recipient, details ->> 'address' as address from notices where kind = 'email_changed' order by id`,
    );
  const revocations = () =>
    scene.rows(`select row_id, changed from revocations where table_name = 'users' order by seq`);
  beforeEach(async () => {
    await scene.load({ users: [client, other] });
    for (const table of ['notices', 'revocations']) await scene.rows(`delete from ${table}`);
  });

  it('that stays gets no notice of a change', async () => {
    const moved = { ...client, id: idOf('usr', 9), email: 'third@example.com' };
    await scene.load({ users: [moved] });
    const counts = await scene.load({ users: [{ ...moved, environment: 'production' }] });
    expect(counts.users).toMatchObject({ updated: 1 });
    expect(await notices()).toEqual([]);
    expect(await revocations()).toEqual([{ row_id: moved.id, changed: ['environment', 'updated_at'] }]);
  });

  it('that changes gets one notice, to the former address, and is one revocation', async () => {
    await scene.load({ users: [{ ...other, email: 'new@example.com' }] });
    expect(await notices()).toEqual([{ recipient: other.id, address: other.email }]);
    expect(await revocations()).toEqual([{ row_id: other.id, changed: ['email', 'updated_at'] }]);
  });

  it('may be swapped with another user’s, and each change gets one notice', async () => {
    const counts = await scene.load({
      users: [
        { ...client, email: other.email },
        { ...other, email: client.email },
      ],
    });
    expect(counts.users).toMatchObject({ updated: 2, unchanged: 0 });
    expect(await scene.rows('select email from users where id in ($1, $2) order by id', [client.id, other.id])).toEqual(
      [{ email: other.email }, { email: client.email }],
    );
    expect((await notices()).sort((a, b) => (a.recipient < b.recipient ? -1 : 1))).toEqual([
      { recipient: client.id, address: client.email },
      { recipient: other.id, address: other.email },
    ]);
  });
});

describe('a member who was removed', () => {
  const firms = [firm, { ...firm, id: idOf('frm', 2), name: 'Marlow' }];
  const member = { id: idOf('usr', 7), email: 'mia@example.com', name: 'Mia', role: 'firm_member', firm_id: firm.id };
  const elsewhere = { ...member, id: idOf('usr', 6), email: 'Mia@example.com', firm_id: idOf('frm', 2) };
  const remove = () => scene.rows('update users set removed_at = now_ms() where id = $1', [member.id]);
  const present = async () =>
    (await scene.rows(`select id from users where role = 'firm_member' and removed_at is null`)).map(({ id }) => id);

  it('stays removed, and does not reserve the address, whether imported alone or with its new owner', async () => {
    await scene.load({ firms, users: [member] });
    await remove();
    await scene.load({ users: [elsewhere] });
    expect((await scene.load({ firms, users: [member] })).users).toMatchObject({ unchanged: 1 });
    const counts = await scene.load({ users: [{ ...member, firm_id: idOf('frm', 2) }, elsewhere] });
    expect(counts.users).toMatchObject({ updated: 1, unchanged: 1 });
    expect(await present()).toEqual([elsewhere.id]);
  });

  it('does not let two other members share the address', async () => {
    const second = { ...elsewhere, id: idOf('usr', 5) };
    const faults = await scene.refused({ users: [member, elsewhere, second] });
    expect(faults).toMatchObject([{ line: 3, field: 'email', reason: 'is on line 2 already, in the same role' }]);
    expect(await scene.refused({ users: [second] })).toMatchObject([
      { line: 1, field: 'email', reason: `belongs to ${elsewhere.id} already, in the same role` },
    ]);
  });
});
