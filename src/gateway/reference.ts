// Gateway: reference rows, cached in memory and reloaded periodically. They change with the deployment.
import type { Sql } from '#database/database.ts';
import { type Reference, readReference } from '#repositories/reference.ts';

export type { Reference };

const REFRESH_MS = 60_000;

export interface ReferenceData {
  /** The rows as last read. */
  current(): Reference;
  close(): void;
}

/** Reads the reference rows now and then every minute. After a failure the last ones are kept. */
export async function loadReference(sql: Sql): Promise<ReferenceData> {
  let reference = await readReference(sql);
  const timer = setInterval(() => {
    readReference(sql).then(
      (fresh) => {
        reference = fresh;
      },
      () => {},
    );
  }, REFRESH_MS);
  timer.unref();
  return { current: () => reference, close: () => clearInterval(timer) };
}
