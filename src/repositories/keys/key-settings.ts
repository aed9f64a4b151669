// Repositories: changes of an API key's name, note, expiry and allowed networks.
import { type Actor, actorText } from '#core/actor.ts';
import { Refusal, refuse, refuseParameter } from '#core/errors.ts';
import { MAX_NETWORKS, readNetwork } from '#core/networks.ts';
import type { Sql, Transactions } from '#database/database.ts';
import { readRow, readValue } from '#database/rows.ts';
import { requireFuture, requireName, requireNote } from '../input-checks.ts';
import { requireKeyAccess } from './key-access.ts';
import { type ApiKey, KEY_COLUMNS } from './key-queries.ts';

/** Limits set by the installation's configuration. */
export interface KeyBounds {
  /** Maximum number of a firm's usable keys, including predecessors in their overlap. */
  maxKeys: number;
  /** Maximum lifetime in days at the time when an expiry is set; null for no maximum, and no obligation to set one. */
  lifetimeDays: number | null;
}

/** Absent parts stay as they are. */
export interface KeyChanges {
  name?: string | undefined;
  /** Null for none. */
  note?: string | null | undefined;
  /** RFC 3339; null for never. */
  expiresAt?: string | null | undefined;
  allowedNetworks?: readonly string[] | undefined;
  /** The stored networks on which the new ones are based. Refused if they have changed; absent to skip the check. */
  networksBefore?: readonly string[] | undefined;
}

/**
 * Changes a key's name, note, expiry or allowed networks. Takes effect at once on every gateway: a trigger logs the
 * change, and a gateway uses a cached admission only if the change log shows no change since it was cached. Name and
 * note can be changed at any time, expiry and networks only while the key is active: a revoked or expired key cannot be
 * reactivated. A rotated key keeps its overlap or ends earlier.
 */
export function changeKey(
  database: Transactions,
  id: string,
  changes: KeyChanges,
  actor: Actor,
  { lifetimeDays }: Pick<KeyBounds, 'lifetimeDays'>,
): Promise<ApiKey> {
  return database.transaction(async (sql) => {
    await requireKeyAccess(sql, id, actor);
    await sql.query({ text: 'select from api_keys where id = $1 for no key update', values: [id] });
    const before = await requireKeyAccess(sql, id, actor);
    const { name, note, expiresAt, allowedNetworks, networksBefore } = changes;
    const requested: Settings = {
      name: name === undefined ? before.name : requireName(name, 'name'),
      note: note === undefined ? before.note : requireNote(note),
      expiresAt: expiresAt === undefined ? before.expiresAt : expiresAt,
      allowedNetworks:
        allowedNetworks === undefined ? before.allowedNetworks : await requireNetworks(sql, allowedNetworks),
    };
    const details = differences(before, requested);
    if (details === null) return before;
    const bears = ['expires_at', 'allowed_networks'].some((column) => column in details);
    if (bears && before.status !== 'active')
      refuse('invalid_transition', `The key ${id} is ${before.status} and cannot be changed.`);
    const asBefore = networksBefore === undefined || sameList(networksBefore, before.allowedNetworks);
    if ('allowed_networks' in details && !asBefore)
      throw new Refusal('invalid_transition', {
        param: 'allowed_networks',
        message: 'The networks have changed in the meantime. Reload and check them.',
      });
    if ('expires_at' in details) {
      await requireFuture(sql, requested.expiresAt);
      await requireLifetime(sql, requested.expiresAt, lifetimeDays);
      if (before.rotatedTo !== null && (requested.expiresAt ?? '~') > (before.expiresAt ?? '~'))
        refuse('invalid_transition', `The key ${id} was rotated: its overlap can only be shortened.`);
    }
    return writeChange(sql, id, requested, details, actor);
  });
}

type Settings = Pick<ApiKey, 'name' | 'note' | 'expiresAt' | 'allowedNetworks'>;

const sameList = (one: readonly string[], other: readonly string[]) => JSON.stringify(one) === JSON.stringify(other);

/** The changed columns as recorded; null if nothing changes. */
function differences(before: Settings, requested: Settings): Record<string, unknown> | null {
  const columns = { name: 'name', note: 'note', expiresAt: 'expires_at', allowedNetworks: 'allowed_networks' } as const;
  const changed = (Object.keys(columns) as (keyof typeof columns)[]).filter(
    (property) => JSON.stringify(before[property]) !== JSON.stringify(requested[property]),
  );
  const of = (values: Settings) => Object.fromEntries(changed.map((property) => [columns[property], values[property]]));
  return changed.length === 0 ? null : { ...of(requested), before: of(before) };
}

function writeChange(
  sql: Sql,
  id: string,
  { name, note, expiresAt, allowedNetworks }: Settings,
  details: Record<string, unknown>,
  actor: Actor,
): Promise<ApiKey> {
  return readRow(sql, {
    text: `with changed as (
        update api_keys set name = $2, note = $3, expires_at = $4, allowed_networks = $5::text[]::cidr[]
        where id = $1 returning *),
      event as (insert into key_events (key_id, actor, action, details) select id, $6, 'change', $7::jsonb from changed)
      select ${KEY_COLUMNS} from changed k join firms f on f.id = k.firm_id`,
    values: [id, name, note, expiresAt, allowedNetworks, actorText(actor), JSON.stringify(details)],
  });
}

/** Networks as stored: without duplicates, and without bits beyond the mask. */
export async function requireNetworks(sql: Sql, given: readonly string[]): Promise<string[]> {
  const networks = given.map(
    (text) =>
      readNetwork(text) ??
      refuseParameter(
        'allowed_networks',
        `"${text.slice(0, 60)}" is not an address or a CIDR range such as 203.0.113.0/24 or 2001:db8::/32.`,
      ),
  );
  const text = `select array(select distinct network(n::inet) from unnest($1::text[]) n order by 1)::text[] as networks`;
  const stored = await readValue<string[]>(sql, { text, values: [networks] });
  if (stored.length <= MAX_NETWORKS) return stored;
  refuseParameter('allowed_networks', `A key has at most ${MAX_NETWORKS} networks.`);
}

/** Uses the database's clock. */
export async function requireLifetime(sql: Sql, expiresAt: string | null, days: number | null): Promise<void> {
  if (days === null) return;
  const text = `select coalesce($1::timestamptz <= now_ms() + $2 * interval '1 day', false) as within`;
  if (await readValue<boolean>(sql, { text, values: [expiresAt, days] })) return;
  const why =
    expiresAt === null
      ? `A key needs an expiry, at most ${days} days from now.`
      : `Keys end at most ${days} days after their expiry was set.`;
  refuseParameter('expires_at', why);
}
