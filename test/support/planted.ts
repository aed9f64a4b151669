// Test support: a client with a unique text in every place that stores personal data, so that tests can search for it.
import { randomBytes } from 'node:crypto';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import type { Database } from '#database/database.ts';
import { requestGrant } from '#repositories/grants/grants.ts';
import { createUser, type User } from '#repositories/users.ts';
import { furnish, type Item, insert, type Key, makeGrant, makeItem } from './scenario.ts';

const ITEMS = 14;

export interface Planted {
  client: User;
  accountId: string;
  items: Item[];
  /** Texts that the client may read: names, titles, notes, reasons. */
  readable: string[];
  /** Texts that never leave the database. */
  internal: string[];
}

/** The client has granted access to the first key; the second one has requested it. */
export async function plantClient(database: Database, [key, asking]: readonly [Key, Key]): Promise<Planted> {
  const run = randomBytes(4).toString('hex');
  const readable: string[] = [];
  const internal: string[] = [];
  const into = (list: string[], what: string) => {
    const text = `${what}-${list.length}-${list === readable ? 'readable' : 'internal'}-${run}`;
    list.push(text);
    return text;
  };
  const plant = (what: string) => into(readable, what);
  const hide = (what: string) => into(internal, what);

  const email = `${plant('mail')}@example.com`;
  const client = await createUser(database, {
    ...{ role: 'client', email, name: plant('Name'), environment: 'production', reportingCurrency: 'USD' },
  });
  const items: Item[] = [];
  for (let at = 0; at < ITEMS; at++) {
    const item = await makeItem(database, client, {
      title: plant('title'),
      description: plant('description'),
      notes: plant('notes'),
      seller: plant('seller'),
      storage_location: plant('location'),
      category_fields: JSON.stringify({ brand: plant('brand') }),
      heirs: JSON.stringify([{ name: plant('heir'), relationship: plant('relationship'), share_percent: 50 }]),
      readiness: JSON.stringify({ score: 10, missing: [plant('missing')] }),
      internal_notes: hide('internal'),
    });
    const { collectionId } = await furnish(database, client, item);
    const set = (table: string, columns: string, ...values: string[]) =>
      database.query({ text: `update ${table} set ${columns}`, values });
    await set(`collections`, `name = $1 where id = '${collectionId}'`, plant('collection'));
    await set('share_links', `label = $1, token = $2 where item_id = '${item.id}'`, plant('label'), hide('token'));
    await set('valuations', `appraiser = $1 where item_id = '${item.id}'`, plant('appraiser'));
    const documents = `title = $1, issuer = $2, file_path = $3 where item_id = '${item.id}'`;
    await set('documents', documents, plant('document'), plant('issuer'), hide('path'));
    items.push(item);
  }
  await makeGrant(database, key, client);
  const asked = { scopes: ALL_SCOPES, filter: { type: 'all' }, expiresAt: null } as const;
  const member = await createUser(database, {
    ...{ role: 'firm_member', email: `${newId('user')}@example.com`, name: 'Member', firmId: asking.firmId },
  });
  const actor = { kind: 'firm_member', id: member.id } as const;
  await requestGrant(database, { keyId: asking.id, client: email, purpose: plant('purpose'), ...asked }, actor);
  // A request to a client of another environment than the key's, which the client does not receive.
  await insert(database, 'grants', {
    ...{ id: newId('grant'), lineage_id: asking.id, status: 'pending', scopes: ALL_SCOPES, filter: { type: 'all' } },
    ...{ addressee: client.id, purpose: plant('unreached') },
  });
  const accountId = await plantAccount(database, client, { plant, hide });
  return { client, accountId, items, readable, internal };
}

type Plant = (what: string) => string;

/** The account of the user: credentials, sessions, settings, mails. Returns its id. */
export async function plantAccount(
  database: Database,
  client: User,
  { plant, hide }: { plant: Plant; hide: Plant },
): Promise<string> {
  const add = (table: string, row: Record<string, unknown>) => insert(database, table, row);
  const id = newId('account');
  const account = { account_id: id };
  await add('portal_accounts', {
    id,
    email: client.email.toLowerCase(),
    name: plant('account'),
    image: plant('image'),
  });
  const hash = hide('hash');
  await add('portal_credentials', {
    id: newId('credential'),
    ...account,
    provider: 'credential',
    subject: id,
    password_hash: hash,
  });
  await add('portal_credentials', {
    ...{ id: newId('credential'), ...account, provider: 'elsewhere', subject: plant('subject') },
  });
  await add('portal_sessions', {
    ...{ id: newId('session'), ...account, session_token: hide('session'), acting_user_id: client.id },
    ...{ ip_address: plant('address'), user_agent: plant('agent'), new_device: true },
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await add('portal_verifications', {
    ...{ id: newId('verification'), lookup_key: hide('lookup'), held_value: id },
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await add('portal_second_factors', {
    ...{ id: newId('second_factor'), ...account, totp_secret: hide('totp'), recovery_codes: hide('codes') },
  });
  await add('portal_passkeys', {
    ...{ id: newId('passkey'), ...account, name: plant('passkey'), credential_id: hide('credential') },
    public_key: Buffer.from('key'),
  });
  await add('portal_used_codes', { ...account, used_code: hide('code') });
  await add('account_events', {
    ...{ ...account, actor: 'operator:somebody', action: 'factor_reset', details: { reason: plant('reason') } },
  });
  await add('notices', {
    ...{ kind: 'email_changed', recipient: client.id, subject: client.id, occurrence: '1' },
    details: { address: `${plant('former')}@example.com` },
  });
  await add('legal_holds', {
    ...{ user_id: client.id, reason: hide('hold'), placed_by: 'operator:x' },
    ...{ released_at: new Date().toISOString(), released_by: 'operator:x' },
  });
  await add('person_zones', { user_id: client.id, zone: plant('Zone') });
  await add('muted_topics', { user_id: client.id, topic: plant('topic') });
  const [{ id: firmId } = { id: '' }] = await database.query<{ id: string }>({ text: 'select id from firms limit 1' });
  const invitation = newId('invitation');
  await add('firm_events', {
    ...{ firm_id: firmId, actor: 'operator:somebody', action: 'member_invite', subject: invitation },
    details: { name: hide('event'), email: client.email.toLowerCase(), role: 'auditor' },
  });
  await add('firm_invitations', {
    ...{ id: invitation, firm_id: firmId, email: client.email.toLowerCase(), name: plant('invited') },
    ...{ role: 'auditor', invited_by: 'operator:somebody', expires_at: new Date().toISOString() },
    ...{ ended_at: new Date().toISOString(), outcome: 'withdrawn' },
  });
  return id;
}
