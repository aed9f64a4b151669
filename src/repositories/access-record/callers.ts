// Repositories: the keys that made the calls of a batch, and the clients that the calls concern.
import { type AccessBatch, type AccessEvent, dayOf, type UnauthenticatedCount } from '#core/events.ts';
import type { Sql } from '#database/database.ts';
import { listsOf } from '#database/rows.ts';

/** Records that are saved together. */
export type Content = Omit<AccessBatch, 'writer' | 'number'>;

export interface Caller {
  firmId: string;
  keyId: string;
}

export const nameOf = (keyHash: Buffer): string => keyHash.toString('hex');

/** The keys of failed attempts by the hash of their secrets, and how many attempts used an unknown secret. */
export async function findAttempted(
  sql: Sql,
  { attempts, counts }: Content,
): Promise<{ keys: Map<string, Caller>; unauthenticated: UnauthenticatedCount[] }> {
  const tried = [
    ...attempts.map((attempt) => ({ ...attempt, day: dayOf(attempt.at), calls: 1 })),
    ...counts.flatMap(({ caller, ...count }) => ('keyHash' in caller ? [{ ...count, ...caller }] : [])),
  ];
  if (tried.length === 0) return { keys: new Map(), unauthenticated: [] };
  const rows = await sql.query<Caller & { hash: Buffer }>({
    text: `select id as "keyId", firm_id as "firmId", secret_hash as hash from api_keys where secret_hash = any($1::bytea[])`,
    values: [tried.map(({ keyHash }) => keyHash)],
    prepare: true,
  });
  const keys = new Map(rows.map(({ hash, ...key }) => [nameOf(hash), key]));
  const unauthenticated = tried
    .filter(({ keyHash }) => !keys.has(nameOf(keyHash)))
    .map(({ day, errorCode, calls }) => ({ day, errorCode: errorCode ?? '', calls }));
  return { keys, unauthenticated };
}

export interface Parties {
  /** The call's client; null if no such client exists. */
  of(event: AccessEvent): string | null;
  /** Whether a grant has ever joined key and client. */
  joined(event: AccessEvent): boolean;
}

export const pairOf = ({ clientId, keyId }: AccessEvent): string => `${clientId} ${keyId}`;

/**
 * A call with scopes had an active grant; for other calls the grant is looked up. A grant request that was never
 * approved joins no one. For a call that the rate limit refused without a database query, it is unknown whether its
 * client exists.
 */
export async function readParties(sql: Sql, { calls }: Content): Promise<Parties> {
  const doubtful = new Map<string, AccessEvent>();
  for (const { event } of calls) if (event.scopes === 0 && event.clientId !== null) doubtful.set(pairOf(event), event);
  const doubtfulCalls = [...doubtful.values()];
  const found =
    doubtfulCalls.length === 0
      ? []
      : await sql.query<{ client_id: string; key_id: string; exists: boolean; joined: boolean }>({
          // The limit makes PostgreSQL look up each pair: without it, it would read and hash all grants.
          text: `select client_id, key_id, exists (select from users u where u.id = client_id and u.role = 'client') as exists,
              coalesce((select true from api_keys k join grants g on g.lineage_id = k.lineage_id
                where k.id = key_id and g.client_id = r.client_id and g.activated_at is not null limit 1), false) as joined
            from unnest($1::text[], $2::text[]) as r (client_id, key_id)`,
          values: listsOf(doubtfulCalls, 'clientId', 'keyId'),
          prepare: true,
        });
  const known = new Map(found.map(({ client_id, key_id, ...rest }) => [`${client_id} ${key_id}`, rest]));
  return {
    of: (event) => (event.scopes !== 0 || known.get(pairOf(event))?.exists === true ? event.clientId : null),
    joined: (event) => event.scopes !== 0 || known.get(pairOf(event))?.joined === true,
  };
}

export const isRelated = (event: AccessEvent, parties: Parties): boolean =>
  event.toolId === undefined && parties.of(event) !== null && parties.joined(event);
