// Repositories: the last reported state of each serving process.
import type { Sql } from '#database/database.ts';

interface ProcessFacts {
  id: string;
  host: string;
  limiter: string;
  limiterReason: string | null;
  recordsWaiting: number;
  replicasAway: number;
}

export interface ProcessReport extends ProcessFacts {
  /** By the process's own monotonic clock, since its wall clock may differ. */
  startedSecondsAgo: number;
  limiterSinceSecondsAgo: number;
}

export interface GatewayProcess extends ProcessFacts {
  seenAt: string;
  startedAt: string;
  limiterSince: string;
  /** It has missed its reports, and has not reported its end. */
  silent: boolean;
}

/** Interval of each process's reports. */
export const REPORT_INTERVAL_MS = 15_000;
const SILENT_SECONDS = 40;

export async function saveProcess(sql: Sql, report: ProcessReport): Promise<void> {
  const before = (at: string) => `now_ms() - ${at} * interval '1 second'`;
  await sql.query({
    text: `insert into gateway_processes
        (id, host, started_at, limiter_since, limiter, limiter_reason, records_waiting, replicas_away)
      values ($1, $2, ${before('$3')}, ${before('$4')}, $5, $6, $7, $8)
      on conflict (id) do update set seen_at = now_ms(), limiter_since = excluded.limiter_since, limiter = excluded.limiter,
        limiter_reason = excluded.limiter_reason, records_waiting = excluded.records_waiting,
        replicas_away = excluded.replicas_away`,
    values: [
      ...[report.id, report.host, report.startedSecondsAgo, report.limiterSinceSecondsAgo],
      ...[report.limiter, report.limiterReason, report.recordsWaiting, report.replicasAway],
    ],
    prepare: true,
  });
}

export async function forgetProcess(sql: Sql, id: string): Promise<void> {
  await sql.query({ text: 'delete from gateway_processes where id = $1', values: [id] });
}

/** Deletes processes that have been silent for an hour. */
export async function forgetProcesses(sql: Sql): Promise<void> {
  await sql.query({ text: `delete from gateway_processes where seen_at < now_ms() - interval '1 hour'` });
}

export function listProcesses(sql: Sql): Promise<GatewayProcess[]> {
  const text = `select id, host, seen_at as "seenAt", started_at as "startedAt", limiter, limiter_since as "limiterSince",
      limiter_reason as "limiterReason", records_waiting as "recordsWaiting", replicas_away as "replicasAway",
      seen_at < now_ms() - ${SILENT_SECONDS} * interval '1 second' as silent
    from gateway_processes where seen_at >= now_ms() - interval '1 hour' order by host, started_at, id`;
  return sql.query<GatewayProcess>({ text });
}
