// What metrics show of a gateway: of its parts, as they are when somebody looks, and of the program.
import { migrations } from '#database/migrations/index.ts';
import type { Platform } from '#gateway/execution/context.ts';
import type { Witnessing } from '#gateway/ledger/witnessing.ts';
import type { DatabaseState } from '#gateway/restore/database-watch.ts';
import type { AccessRecorder } from '#observability/access-recorder.ts';
import type { About, Parts } from '#observability/metrics/process.ts';
import type { Tracing } from '#observability/tracing/tracing.ts';
import type { Sender } from '#portal/notices/sender.ts';
import type { ResponseCache } from '#rest-facade/response-cache.ts';
import type { Version } from '#versions/change.ts';
import npm from '../package.json' with { type: 'json' };

/** Version of the program. */
export const PROGRAM: string = npm.version;

export function aboutThis(versions: readonly Version[]): About {
  return {
    version: PROGRAM,
    schema: migrations.at(-1)?.name ?? '',
    versions: versions.map(({ date, retirement }) => ({ date, status: retirement ? 'deprecated' : 'served' })),
  };
}

interface Measured {
  /** What the last look at the database found. */
  seen: () => DatabaseState;
  recorder: AccessRecorder;
  responses: ResponseCache;
  tracing: Tracing | null;
  sender: Sender | null;
  witnessing: Witnessing;
}

/** What metrics show of the gateway's parts. */
export function measurable(
  { database, reads }: Pick<Platform, 'database' | 'reads'>,
  { seen, recorder, responses, tracing, sender, witnessing }: Measured,
): Parts {
  return {
    database: seen,
    witnesses: witnessing.states,
    pools: () => [
      { name: 'primary', ...database.pool() },
      ...reads.states().map(({ name, pool }) => ({ name, ...pool })),
    ],
    records: () => ({ waiting: recorder.waiting(), oldestSeconds: recorder.oldestSeconds(), ...recorder.counts() }),
    replicas: reads.states,
    reads: reads.counts,
    responses: () => responses.state(),
    mails: () => ({
      ...(sender?.outbox() ?? { waiting: 0, oldestSeconds: 0, refused: 0, lapsed: 0 }),
      ...(sender?.counts() ?? { sent: 0, failures: 0 }),
    }),
    traces: () => tracing?.counts() ?? { kept: 0, left: 0, delivered: 0, failed: 0 },
  };
}
