// Observability: structured logs: one line a request and one a failure; never a secret, a query or a client's data.
import { type Logger, pino } from 'pino';
import type { Events } from '#core/events.ts';

export function createLogger(level: string): Logger {
  return pino({
    level,
    base: { service: 'portico' },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: ['authorization', '*.authorization', 'headers'], remove: true },
  });
}

/** Logs what the request path tells. */
export function logEvents(events: Events, logger: Logger): void {
  if (logger.isLevelEnabled('info')) {
    events.on('request', ({ duration, ...request }) => {
      logger.info({ ...request, duration: Math.round(duration * 1e6) / 1e6 }, 'request');
    });
  }
  events.on('failure', ({ error, ...where }) => {
    logger.error({ ...where, ...describe(error) }, 'failure');
  });
}

/**
 * What of an error may be logged: its kind, code, message and stack. A database error's `detail` and `where` are left
 * out: PostgreSQL quotes rows there.
 */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: 'unknown' };
  const { code, constraint, table } = error as { code?: string; constraint?: string; table?: string };
  const inner = error.cause === undefined ? {} : { cause: describe(error.cause) };
  return { error: error.name, code, constraint, table, message: error.message, stack: error.stack, ...inner };
}
