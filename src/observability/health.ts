// Observability: whether this process can serve, and what it does without.

export interface HealthReport {
  status: 'ready' | 'degraded' | 'unavailable' | 'stopping';
  /** What is away. */
  away?: ('postgresql' | 'redis')[];
}

export interface Health {
  check(): Promise<{ ready: boolean; report: HealthReport }>;
  /** From now on: not ready. */
  stopping(): void;
}

const PATIENCE_MS = 2_000;

/** `ping` asks the database; `redisAway` says whether the limits do without Redis right now. */
export function createHealth(ping: () => Promise<unknown>, redisAway: () => boolean): Health {
  let stopping = false;
  return {
    async check() {
      if (stopping) return { ready: false, report: { status: 'stopping' } };
      if (!(await answersInTime(ping)))
        return { ready: false, report: { status: 'unavailable', away: ['postgresql'] } };
      if (redisAway()) return { ready: true, report: { status: 'degraded', away: ['redis'] } };
      return { ready: true, report: { status: 'ready' } };
    },
    stopping: () => {
      stopping = true;
    },
  };
}

async function answersInTime(ping: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((done) => {
    timer = setTimeout(() => done(false), PATIENCE_MS);
  });
  const answered = ping().then(
    () => true,
    () => false,
  );
  return Promise.race([answered, late]).finally(() => clearTimeout(timer));
}
