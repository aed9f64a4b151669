// Observability: structured logs, one line per request and per failure; never a secret, a query or a client's data.
import { type Logger, pino } from 'pino';
import type { Events, RequestEvent } from '#core/events.ts';
import { requestUuid } from '#core/ids.ts';
import { STAGES, type StageTimes } from '#core/stages.ts';
import { openLogOutput } from './log-output.ts';

export function createLogger(level: string): Logger {
  const output = openLogOutput((lines) => logger.error({ where: 'log', lines }, 'log lines lost'));
  const logger = pino(
    {
      level,
      base: { service: 'portico' },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: ['authorization', '*.authorization', 'headers'], remove: true },
    },
    output,
  );
  return logger;
}

/** Logs requests and failures. */
export function logEvents(events: Events, logger: Logger): void {
  if (logger.isLevelEnabled('info')) {
    events.on('request', (request) => logger.info(lineOf(request), 'request'));
  }
  events.on('failure', ({ error, ...where }) => {
    logger.error({ ...where, ...describe(error) }, 'failure');
  });
}

/** The log record of a request: the caller, its network, and the duration of each stage in seconds. */
function lineOf(event: RequestEvent) {
  const { times, traced, key, network, callersId, traceparent, nearLimit, shadowRefusal, ...request } = event;
  return {
    ...request,
    duration: seconds(times.ended - times.began),
    stages: stagesOf(times),
    ...(key === null ? {} : { keyId: key.id, firmId: key.firmId, tier: key.tier }),
    ...(shadowRefusal === null ? {} : { shadowRefusal }),
    network: network(),
    ...(callersId === null ? {} : { callersId }),
    ...(traced ? { traceId: requestUuid(request.requestId) } : {}),
  };
}

function stagesOf({ spent }: StageTimes): Record<string, number> {
  return Object.fromEntries(STAGES.filter((stage) => spent[stage] > 0).map((stage) => [stage, seconds(spent[stage])]));
}

/** Seconds, rounded to the microsecond. */
const seconds = (milliseconds: number): number => Math.round(milliseconds * 1e3) / 1e6;

/**
 * The loggable parts of an error: its name, code, message and stack. A database error's `detail` and `where` are left
 * out, because PostgreSQL quotes rows in them.
 */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: 'unknown' };
  const { code, constraint, table } = error as { code?: string; constraint?: string; table?: string };
  const inner = error.cause === undefined ? {} : { cause: describe(error.cause) };
  return { error: error.name, code, constraint, table, message: error.message, stack: error.stack, ...inner };
}
