// Repositories: the set of known keys, for look-ups without a database query.
import { steadyClock } from '#core/clock.ts';
import { oneAtATime } from '#core/one-at-a-time.ts';
import type { Sql } from '#database/database.ts';

/** Maximum time from a key's timestamp to the commit of its statement. */
const LATEST_COMMIT = '1 minute';
/** Minimum interval between two queries for new keys. */
const FRESH_MS = 1_000;

export interface KeyHashes {
  /** Whether there is, or was, a key with this hash. May miss a key that is younger than a second. */
  has(hash: Buffer): Promise<boolean>;
}

/** Reads the set on the first look-up, and then new keys at most once a second. It serves floods of forged keys. */
export function openKeyHashes(sql: Sql): KeyHashes {
  const hashes = new Set<string>();
  let newest = '-infinity';
  /**
   * When new keys were last read completely. If the database's clock was set back, newer keys are dated before
   * `newest`.
   */
  let completeAt = steadyClock.now();
  let readAt = Number.NEGATIVE_INFINITY;

  const reading = oneAtATime(async () => {
    readAt = steadyClock.now();
    const began = readAt;
    const text = `select secret_hash as hash, created_at::text as "createdAt" from api_keys
      where created_at > least($1::timestamptz, now() - $2 * interval '1 ms') - interval '${LATEST_COMMIT}'
      order by created_at`;
    const rows = await sql.query<{ hash: Buffer; createdAt: string }>({ text, values: [newest, began - completeAt] });
    for (const { hash } of rows) hashes.add(hash.toString('latin1'));
    newest = rows.at(-1)?.createdAt ?? newest;
    completeAt = began;
  });

  return {
    async has(hash) {
      const text = hash.toString('latin1');
      if (hashes.has(text)) return true;
      const due = steadyClock.now() - readAt >= FRESH_MS;
      // If the database does not respond, no further key is known.
      await (due ? reading.run() : reading.idle()).catch(() => {});
      return hashes.has(text);
    },
  };
}
