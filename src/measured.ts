// What metrics report about the parts of a gateway and about the program.
import { migrations } from '#database/migrations/index.ts';
import type { AccessQueue } from '#gateway/access-queue/access-queue.ts';
import type { Platform } from '#gateway/execution/context.ts';
import type { AccessRecorder } from '#observability/access-recorder.ts';
import type { About, Parts } from '#observability/metrics/process.ts';
import type { Tracing } from '#observability/tracing/tracing.ts';
import type { Sender } from '#portal/notices/sender.ts';
import type { ResponseCache } from '#rest-facade/response-cache.ts';
import type { Version } from '#versions/change.ts';
import npm from '../package.json' with { type: 'json' };
import type { Background } from './background.ts';

/** Version of the program. */
export const PROGRAM: string = npm.version;

export function aboutThis(versions: readonly Version[]): About {
  return {
    version: PROGRAM,
    schema: migrations.at(-1)?.name ?? '',
    versions: versions.map(({ date, retirement }) => ({ date, status: retirement ? 'deprecated' : 'served' })),
  };
}

interface Measured extends Background {
  responses: ResponseCache;
  tracing: Tracing | null;
  sender: Sender | null;
}

/** The parts of the gateway that metrics report on. */
export function measurable(
  { database, reads }: Pick<Platform, 'database' | 'reads'>,
  { databaseState, recorder, queue, responses, tracing, sender, witnessing }: Measured,
): Parts {
  return {
    database: databaseState,
    witnesses: witnessing.states,
    pools: () => [
      { name: 'primary', ...database.pool() },
      ...reads.states().map(({ name, pool }) => ({ name, ...pool })),
    ],
    records: () => recordsOf(recorder, queue),
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

/** Waiting time and failures count for the process and its queue together. */
function recordsOf(recorder: AccessRecorder, queue: AccessQueue | null): ReturnType<Parts['records']> {
  const { batches, oldestSeconds } = queue?.state() ?? { batches: 0, oldestSeconds: 0 };
  const { failures, losses } = queue?.counts() ?? { failures: 0, losses: 0 };
  const counts = recorder.counts();
  return {
    ...{ ...counts, waiting: recorder.waiting(), failures: counts.failures + failures },
    oldestSeconds: Math.max(recorder.oldestSeconds(), oldestSeconds),
    queue: { batches, losses },
  };
}
