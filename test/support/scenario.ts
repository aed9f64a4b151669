// Test support: a firm with a key, a client with a full portfolio, a grant between them, and calls as a partner.

import { makeKeySecret } from '#auth/key-format.ts';
import type { AssetFilter } from '#core/asset-filter.ts';
import { newId, registryId } from '#core/ids.ts';
import type { Environment } from '#core/principal.ts';
import { ALL_SCOPES, type ScopeSet } from '#core/scopes.ts';
import type { Database } from '#database/database.ts';
import { createFirm, type Firm } from '#repositories/firms.ts';
import type { Grant } from '#repositories/grants/grant-queries.ts';
import { grantWithoutRequest } from '#repositories/grants/grants.ts';
import type { ApiKey } from '#repositories/keys/key-queries.ts';
import { createKey } from '#repositories/keys/keys.ts';
import { createUser, type User } from '#repositories/users.ts';
import { LATEST_VERSION } from '#versions/index.ts';

const operator = { kind: 'operator', id: 'test' } as const;

/** The default version of requests. */
export const VERSION = LATEST_VERSION;

/** Part of every P0 value of a scenario; it must never leave the database. */
export const CANARY = 'p0-canary-7f3a';

export interface Key extends ApiKey {
  secret: string;
}

export function makeFirm(database: Database, changes: Partial<Parameters<typeof createFirm>[1]> = {}): Promise<Firm> {
  return createFirm(database, { name: 'Firm', plan: 'enterprise', planActive: true, tier: 'enterprise', ...changes });
}

export interface KeyChanges {
  name?: string;
  environment?: Environment;
  scopes?: ScopeSet;
  expiresAt?: string | null;
}

/** By default a production key; that of an enterprise firm has a limit that tests do not reach. */
export async function makeKey(database: Database, firm: Firm, changes: KeyChanges = {}): Promise<Key> {
  const { name = 'Key', environment = 'production', scopes = ALL_SCOPES, expiresAt = null } = changes;
  const { text, ...secret } = makeKeySecret(environment);
  const key = await createKey(
    database,
    { firmId: firm.id, name, environment, scopes, expiresAt, secret: { ...secret } },
    operator,
    { maxKeys: 1_000, lifetimeDays: null },
  );
  return { ...key, secret: text };
}

let people = 0;

export function makeClient(
  database: Database,
  { environment = 'production', currency = 'USD' }: { environment?: Environment; currency?: string } = {},
): Promise<User> {
  people += 1;
  const email = `client-${people}-${newId('user').toLowerCase()}@example.com`;
  return createUser(database, { role: 'client', email, name: 'Client', environment, reportingCurrency: currency });
}

export function makeGrant(
  database: Database,
  key: ApiKey,
  client: Pick<User, 'id'>,
  {
    scopes = ALL_SCOPES,
    filter = { type: 'all' },
    expiresAt = null,
  }: { scopes?: ScopeSet; filter?: AssetFilter; expiresAt?: string | null } = {},
): Promise<Grant> {
  return grantWithoutRequest(database, { keyId: key.id, clientId: client.id, scopes, filter, expiresAt }, operator);
}

export interface Item {
  id: string;
  registryId: string;
}

/** Inserts an item with a value in every field, P0 included. `columns` overrides columns by name. */
export async function makeItem(database: Database, client: User, columns: Record<string, unknown> = {}): Promise<Item> {
  const id = (columns.id as string | undefined) ?? newId('item');
  const category = (columns.category as string | undefined) ?? 'WT';
  const row: Record<string, unknown> = {
    id,
    registry_id: registryId('PTC', category, id),
    client_id: client.id,
    category,
    title: 'Chronograph 3448',
    quantity: '1.5',
    market_value: '12500.00',
    market_value_as_of: '2026-01-02T03:04:05.006Z',
    purchase_amount: '9000.00',
    purchase_currency: 'EUR',
    purchased_on: '2019-05-04',
    insurance_amount: '1500000',
    insurance_currency: 'JPY',
    description: 'A watch',
    notes: 'Worn on Sundays',
    seller: 'An auction house',
    storage_location: 'Vault 4',
    category_fields: JSON.stringify({ brand: 'Patek Philippe', reference: '3448' }),
    heirs: JSON.stringify([{ name: 'Ada', relationship: 'daughter', share_percent: 33.33 }]),
    readiness: JSON.stringify({ score: 40, missing: ['will'] }),
    verification: JSON.stringify({
      status: 'verified',
      verified_at: '2026-01-01T00:00:00.000Z',
      risk_score: 3,
      tamper_state: 'intact',
      last_scan_at: '2026-01-01T00:00:00.000Z',
      scans: [{ scanned_at: '2026-01-01T00:00:00.000Z', method: 'nfc', result: 'match' }],
    }),
    internal_notes: `${CANARY} internal`,
    ...columns,
  };
  await insert(database, 'items', row);
  return { id, registryId: row.registry_id as string };
}

/** Adds two valuations, two documents, a collection and a share link, with CANARY in P0 columns. */
export async function furnish(database: Database, client: User, item: Item): Promise<{ collectionId: string }> {
  const collectionId = newId('collection');
  await insert(database, 'collections', { id: collectionId, client_id: client.id, name: 'Family' });
  await insert(database, 'item_collections', { item_id: item.id, collection_id: collectionId });
  await insert(database, 'share_links', {
    id: newId('share_link'),
    item_id: item.id,
    label: 'For Ada',
    token: `${CANARY} token`,
  });
  for (const [source, amount, at] of [
    ['appraisal', '12000.00', '2025-01-01'],
    ['auction_result', '12500.00', '2026-01-01'],
  ])
    await insert(database, 'valuations', {
      id: newId('valuation'),
      item_id: item.id,
      source,
      amount,
      currency: 'USD',
      valued_at: `${at}T00:00:00Z`,
      appraiser: 'Somebody',
    });
  for (const [type, expires] of [
    ['purchase_receipt', null],
    ['insurance_policy', '2020-01-01'],
  ])
    await insert(database, 'documents', {
      id: newId('document'),
      item_id: item.id,
      type,
      title: 'Paper',
      issuer: 'Issuer',
      issued_on: '2019-05-04',
      expires_on: expires,
      file_size: 1234,
      file_path: `/${CANARY}/file`,
    });
  return { collectionId };
}

export async function insert(database: Database, table: string, row: Record<string, unknown>): Promise<void> {
  const columns = Object.keys(row);
  const text = `insert into ${table} (${columns.join(', ')}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`;
  await database.query({ text, values: Object.values(row) });
}

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies without types.
type Body = any;

export interface Response {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

export interface CallOptions {
  method?: string;
  /** `null` omits the header. */
  version?: string | null;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** Sends one request; `secret` null sends no Authorization. */
export async function call(url: string, secret: string | null, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', version = VERSION, headers = {}, body } = options;
  const response = await fetch(url, {
    method,
    headers: {
      ...(secret === null ? {} : { Authorization: `Bearer ${secret}` }),
      ...(version === null ? {} : { 'X-Service-Version': version }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null,
  };
}

/** Reason and end of an override of a limit, for tests of other things. */
export const why = { reason: 'a trial', endsAt: null };
