// Observability: whether this process can serve requests, and what is missing.
import { withTimeout } from '#core/with-timeout.ts';

export interface HealthReport {
  status: 'ready' | 'degraded' | 'unavailable' | 'stopping';
  /** The servers that are away. */
  away?: ('postgresql' | 'redis')[];
  /** Why PostgreSQL is not usable. */
  reason?: string;
}

export interface Health {
  check(): Promise<{ ready: boolean; report: HealthReport }>;
  /** From now on `check` reports not ready. */
  stopping(): void;
}

const PATIENCE_MS = 2_000;

/**
 * `usable` rejects where the database cannot serve requests. `redisAway` says whether limits are decided without Redis.
 */
export function createHealth(usable: () => Promise<unknown>, redisAway: () => boolean): Health {
  let stopping = false;
  return {
    async check() {
      if (stopping) return { ready: false, report: { status: 'stopping' } };
      const reason = await reasonAgainst(usable);
      if (reason !== null) return { ready: false, report: { status: 'unavailable', away: ['postgresql'], reason } };
      if (redisAway()) return { ready: true, report: { status: 'degraded', away: ['redis'] } };
      return { ready: true, report: { status: 'ready' } };
    },
    stopping: () => {
      stopping = true;
    },
  };
}

function reasonAgainst(usable: () => Promise<unknown>): Promise<string | null> {
  const late = () => new Error(`no answer within ${PATIENCE_MS} ms`);
  return withTimeout(PATIENCE_MS, usable(), late).then(
    () => null,
    // Refusals hide the reason from callers. It is in the cause.
    (error: Error) => (error.cause instanceof Error ? error.cause : error).message,
  );
}
