// Repositories: which keys there are, as a set to ask without asking the database.
import type { Sql } from '#database/database.ts';

/** How long a statement that makes a key may take from its clock to its commit. */
const LATEST_COMMIT = '1 minute';
/** A set that is younger is not asked for again. */
const FRESH_MS = 1_000;

export interface KeyHashes {
  /** Whether there is, or was, a key with this hash. One that is younger than a second may be missed. */
  has(hash: Buffer): Promise<boolean>;
}

/** The set is read when it is first asked, what is new of it at most once a second: it is there for floods of forged keys. */
export function openKeyHashes(sql: Sql): KeyHashes {
  const hashes = new Set<string>();
  let newest = '-infinity';
  /** When what is new was read last: keys made since are dated before `newest` where the database's clock was set back. */
  let completeAt = performance.now();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    readAt = performance.now();
    const began = readAt;
    const rows = await sql.query<{ hash: Buffer; createdAt: string }>({
      text: `select secret_hash as hash, created_at::text as "createdAt" from api_keys
        where created_at > least($1::timestamptz, now() - $2 * interval '1 ms') - interval '${LATEST_COMMIT}'
        order by created_at`,
      values: [newest, began - completeAt],
    });
    for (const { hash } of rows) hashes.add(hash.toString('latin1'));
    newest = rows.at(-1)?.createdAt ?? newest;
    completeAt = began;
  }

  return {
    async has(hash) {
      const text = hash.toString('latin1');
      if (hashes.has(text)) return true;
      if (reading === undefined && performance.now() - readAt >= FRESH_MS) {
        reading = read().finally(() => {
          reading = undefined;
        });
      }
      // A database that does not answer knows of no further key.
      await reading?.catch(() => {});
      return hashes.has(text);
    },
  };
}
