// Test support: saves calls in the access record, as a gateway does.
import { randomUUID } from 'node:crypto';
import type { AccessEvent } from '#core/events.ts';
import type { Database } from '#database/database.ts';
import { openAccessWriter } from '#repositories/access-record/writer.ts';

/** Saves the calls as one batch of a new writer. */
export function saveCalls(database: Database, events: readonly AccessEvent[]): Promise<void> {
  const calls = events.map((event) => ({ event, listed: true }));
  const rest = { attempts: [], counts: [], strangers: [] };
  return openAccessWriter(database)({ writer: randomUUID(), number: 1, calls, ...rest });
}
