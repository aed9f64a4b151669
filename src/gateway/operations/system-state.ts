// Gateway: the state of the dependencies of requests, as seen by the process that is queried.
import { type DatabaseFacts, readDatabaseFacts } from '#repositories/database-health.ts';
import type { Context } from '../execution/context.ts';
import type { ProcessState } from './process-state.ts';

export interface SystemState extends ProcessState {
  at: string;
  limiter: ProcessState['limiter'] & { state: string; latencyMs: number | null };
  database: DatabaseFacts | null;
}

/** Parts that are away are reported as such. Nothing is thrown. */
export async function readSystemState(context: Context): Promise<SystemState> {
  const own = context.processState();
  const [database, latencyMs] = await Promise.all([
    readDatabaseFacts(context.database).catch(() => null),
    limiterLatency(context),
  ]);
  const limiter = { ...own.limiter, state: context.limiterState(), latencyMs };
  return { ...own, at: new Date().toISOString(), limiter, database };
}

async function limiterLatency({ limiter, limiterState }: Context): Promise<number | null> {
  if (limiterState() === 'standalone' || limiterState() === 'local') return null;
  const began = performance.now();
  await limiter.peek('system', 1);
  const latency = Math.round((performance.now() - began) * 100) / 100;
  return limiterState() === 'local' ? null : latency;
}
