// Repositories: a firm's address and contact details, as stated by the firm. Its name is part of its contract.
import { type Actor, actorText } from '#core/actor.ts';
import { refuseParameter } from '#core/errors.ts';
import { MAX_ADDRESS, MAX_PHONE, MAX_WEBSITE } from '#core/text-lengths.ts';
import type { Sql } from '#database/database.ts';
import { type NamedActor, namedActor } from './accounts/actor-names.ts';
import { lockFirmFor } from './firms.ts';
import { optionalText, requireEmail } from './input-checks.ts';

export interface FirmIdentity {
  /** Several lines, as on a letter. */
  address: string | null;
  /** An https address. */
  website: string | null;
  email: string | null;
  phone: string | null;
}

const IDENTITY_PARTS = ['address', 'website', 'email', 'phone'] as const satisfies (keyof FirmIdentity)[];

export const NO_IDENTITY: FirmIdentity = { address: null, website: null, email: null, phone: null };

/** Details of those of the firms that have stated any. */
export async function firmIdentities(sql: Sql, firmIds: readonly string[]): Promise<Map<string, FirmIdentity>> {
  const text = `select firm_id as "firmId", address, website, email, phone from firm_identities where firm_id = any($1)`;
  const rows = await sql.query<FirmIdentity & { firmId: string }>({ text, values: [firmIds] });
  return new Map(rows.map(({ firmId, ...identity }) => [firmId, identity]));
}

/** The details as of an instant, regardless of later changes. */
export async function firmIdentityAt(sql: Sql, firmId: string, at: string): Promise<FirmIdentity> {
  const text = `select details from firm_events where firm_id = $1 and action = 'identity' and at <= $2 order by id desc limit 1`;
  const [row] = await sql.query<{ details: Partial<FirmIdentity> }>({ text, values: [firmId, at] });
  return { ...NO_IDENTITY, ...row?.details };
}

/** Parts that are absent or null stay as they are; empty ones are removed. */
export type IdentityChanges = { [Part in keyof FirmIdentity]?: FirmIdentity[Part] | undefined };

/**
 * Sets the given parts, and records the whole new state if it differs. Runs within a transaction and locks the firm, so
 * that concurrent changes of other parts are kept. Throws Refusal `invalid_parameter`, and as `lockFirmFor` does.
 */
export async function setFirmIdentity(
  sql: Sql,
  firmId: string,
  given: IdentityChanges,
  actor: Actor,
): Promise<FirmIdentity> {
  await lockFirmFor(sql, firmId, actor, 'administrator');
  const before = (await firmIdentities(sql, [firmId])).get(firmId) ?? NO_IDENTITY;
  const changes = Object.entries(given).filter(([, value]) => value != null);
  const identity = requireIdentity({ ...before, ...Object.fromEntries(changes) });
  const { address, website, email, phone } = identity;
  await sql.query({
    text: `with changed as (
        insert into firm_identities as i (firm_id, address, website, email, phone)
        values ($1, $2, $3, $4, $5)
        on conflict (firm_id) do update set address = excluded.address, website = excluded.website,
          email = excluded.email, phone = excluded.phone, updated_at = now_ms()
        where (i.address, i.website, i.email, i.phone)
          is distinct from (excluded.address, excluded.website, excluded.email, excluded.phone)
        returning firm_id)
      insert into firm_events (firm_id, actor, action, details)
      select firm_id, $6, 'identity', $7::jsonb from changed`,
    values: [firmId, address, website, email, phone, actorText(actor), JSON.stringify(identity)],
  });
  return identity;
}

export interface IdentityChange {
  at: string;
  actor: NamedActor;
  /** The parts that changed. */
  parts: string[];
}

/** All changes, newest first, by firm. */
export async function identityChanges(sql: Sql, firmIds: readonly string[]): Promise<Map<string, IdentityChange[]>> {
  const rows = await sql.query<
    Omit<IdentityChange, 'parts'> & { firmId: string; after: FirmIdentity; before: FirmIdentity | null }
  >({
    text: `select e.firm_id as "firmId", e.at, ${namedActor('e.actor')} as actor, e.details as after,
        lag(e.details) over (partition by e.firm_id order by e.id) as before
      from firm_events e where e.firm_id = any($1) and e.action = 'identity' order by e.id desc`,
    values: [firmIds],
  });
  const changes = rows.map(({ before, after, ...change }) => ({
    ...change,
    parts: IDENTITY_PARTS.filter((part) => (before?.[part] ?? null) !== after[part]),
  }));
  return Map.groupBy(changes, ({ firmId }) => firmId);
}

function requireIdentity({ address, website, email, phone }: FirmIdentity): FirmIdentity {
  return {
    address: optionalText(address, 'address', MAX_ADDRESS, 'lines'),
    website: requireWebsite(optionalText(website, 'website', MAX_WEBSITE)),
    email: email === null || email.trim() === '' ? null : requireOneAddress(email.trim()),
    phone: requirePhone(optionalText(phone, 'phone', MAX_PHONE)),
  };
}

/** Clients get a mailto link to it, which must not contain anything but the address. */
function requireOneAddress(text: string): string {
  if (!/[?&#%,;:<>()[\]\\"]/.test(text)) return requireEmail(text);
  refuseParameter('email', 'This is not an e-mail address such as office@example.com.');
}

/** Clients may follow it: requires https and a host name, and rejects anything that obscures the host. */
function requireWebsite(text: string | null): string | null {
  if (text === null) return null;
  const url = URL.parse(text);
  const plain = url?.protocol === 'https:' && url.username === '' && url.password === '' && url.port === '';
  if (url !== null && plain && /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]+$/.test(url.hostname)) return url.href;
  refuseParameter(
    'website',
    'This is not the address of a web site such as https://www.example.com; it must begin with https://.',
  );
}

function requirePhone(text: string | null): string | null {
  if (text === null || /^\+?[\d ().\-/]{5,}$/.test(text)) return text;
  refuseParameter('phone', 'A telephone number can contain only digits, spaces and + ( ) . - /.');
}
