// An empty database with the migrations, and the firms, clients, keys and items that a test needs in it.

import { randomBytes } from 'node:crypto';
import { makeKeySecret } from '#auth/key-format.ts';
import type { Actor } from '#core/actor.ts';
import { newId, registryId } from '#core/ids.ts';
import type { Environment } from '#core/principal.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { createFirm, type Firm } from '#repositories/firms.ts';
import type { ApiKey } from '#repositories/keys/key-queries.ts';
import { createKey, type NewKey } from '#repositories/keys/keys.ts';
import { createUser, type User } from '#repositories/users.ts';
import { createMigratedDatabase } from '#test/support/database.ts';

export const operator: Actor = { kind: 'operator', id: 'test' };

export const asClient = ({ id }: { id: string }): Actor => ({ kind: 'client', id });
export const asMember = (user: User): Actor => ({ kind: 'firm_member', id: user.id });

export async function openMigrated(): Promise<{ database: Database; close(): Promise<void> }> {
  const { url, drop } = await createMigratedDatabase();
  const database = await openDatabase({ url });
  const close = async () => {
    await database.close();
    await drop();
  };
  return { database, close };
}

/** The default maximum of usable keys of a firm. */
export const MOST_KEYS = 100;
export const KEY_BOUNDS = { maxKeys: MOST_KEYS, lifetimeDays: null };

const word = () => randomBytes(6).toString('hex');

export function makeFirm(database: Database, planActive = true): Promise<Firm> {
  return createFirm(database, { name: `Firm ${word()}`, plan: 'enterprise', planActive, tier: 'standard' });
}

export function makeMember(database: Database, firm: Firm): Promise<User> {
  return createUser(database, { role: 'firm_member', email: `${word()}@example.com`, name: 'Member', firmId: firm.id });
}

export function makeClient(database: Database, environment: Environment = 'sandbox'): Promise<User> {
  const email = `${word()}@example.com`;
  return createUser(database, { role: 'client', email, name: 'Client', environment, reportingCurrency: 'USD' });
}

export function newKey(firm: Firm, changes: Partial<NewKey> = {}): NewKey {
  const environment = changes.environment ?? 'sandbox';
  const secret = makeKeySecret(environment);
  return { firmId: firm.id, name: 'Key', environment, scopes: ALL_SCOPES, expiresAt: null, secret, ...changes };
}

export function makeKey(database: Database, firm: Firm, changes: Partial<NewKey> = {}): Promise<ApiKey> {
  return createKey(database, newKey(firm, changes), operator, KEY_BOUNDS);
}

/** Returns the registry id. */
export async function makeItem(database: Database, client: User, category = 'WT'): Promise<string> {
  const id = newId('item');
  const registry = registryId('PTC', category, id);
  await database.query({
    text: `insert into items (id, registry_id, client_id, category, title) values ($1, $2, $3, $4, 'Thing')`,
    values: [id, registry, client.id, category],
  });
  return registry;
}

/** Returns the collection's id. */
export async function makeCollection(database: Database, client: User): Promise<string> {
  const id = newId('collection');
  const text = `insert into collections (id, client_id, name) values ($1, $2, 'Collection')`;
  await database.query({ text, values: [id, client.id] });
  return id;
}

/** The RFC 3339 timestamp `ms` from now. */
export function ahead(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

export const HOUR_MS = 3_600_000;
