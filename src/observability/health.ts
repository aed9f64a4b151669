// Observability: whether this process can serve, and what it does without.
import { within } from '#core/within.ts';

export interface HealthReport {
  status: 'ready' | 'degraded' | 'unavailable' | 'stopping';
  /** What is away. */
  away?: ('postgresql' | 'redis')[];
  /** Why PostgreSQL cannot be used. */
  reason?: string;
}

export interface Health {
  check(): Promise<{ ready: boolean; report: HealthReport }>;
  /** From now on: not ready. */
  stopping(): void;
}

const PATIENCE_MS = 2_000;

/** `usable` fails where the database is not what requests need; `redisAway` says whether the limits do without Redis right now. */
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
  return within(PATIENCE_MS, usable(), late).then(
    () => null,
    // What requests are refused with keeps the reason to itself.
    (error: Error) => (error.cause instanceof Error ? error.cause : error).message,
  );
}
