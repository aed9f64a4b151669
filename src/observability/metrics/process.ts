// Metrics: values read from a gateway's parts at each scrape.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Tracing } from '../tracing/tracing.ts';

export interface Pool {
  /** `primary`, or the host of a replica. */
  name: string;
  max: number;
  open: number;
  idle: number;
  waiting: number;
}

/** Sources of the values. Counts only increase. */
export interface Parts {
  /**
   * The latest check of the database, a few seconds old: whether it may be served, whether it waits for confirmation,
   * and how far this process's clock is ahead of the database's; null where that is unknown.
   */
  database(): {
    usable: boolean;
    unconfirmed: boolean;
    clockAheadSeconds: number | null;
    recordDaysAhead: number | null;
    ledger: { entries: number; oldestSeconds: number } | null;
  };
  /** Seconds since each witness has cosigned the ledger, or was first asked. */
  witnesses(): readonly { name: string; seconds: number }[];
  pools(): readonly Pool[];
  /** `oldestSeconds` and `queue` include the queue of all gateways, where there is one. */
  records(): {
    waiting: number;
    oldestSeconds: number;
    saved: number;
    failures: number;
    unlisted: number;
    queue: { batches: number; losses: number };
  };
  /** `lagSeconds` is null where it is unknown. */
  replicas(): readonly { name: string; usable: boolean; lagSeconds: number | null }[];
  /** Portfolio reads by the server that answered. */
  reads(): { primary: number; replica: number };
  responses(): { hits: number; misses: number; bytes: number; entries: number };
  /** The outbox of all gateways at the latest check, and what this process sent. */
  mails(): {
    waiting: number;
    oldestSeconds: number;
    refused: number;
    lapsed: number;
    sent: number;
    failures: number;
  };
  traces: Tracing['counts'];
}

/** Constants of the process. */
export interface About {
  version: string;
  /** Name of the newest migration. */
  schema: string;
  versions: readonly { date: string; status: string }[];
}

/** Null: unknown, so no sample is exposed. */
type Known = number | null;
type Labelled<Value = number> = readonly (readonly [labels: Record<string, string>, value: Value])[];

export function measureParts(registry: Registry, parts: Parts, about: About): void {
  const instruments = instrumentsOf(registry);
  measureDatabase(instruments, parts);
  measureReplicas(instruments, parts);
  measureRecords(instruments, parts);
  measureLedger(instruments, parts);
  measureMails(instruments, parts);
  measureResponses(instruments, parts);
  measureTraces(instruments, parts);
  measureProgram(instruments, about);
}

type Instruments = ReturnType<typeof instrumentsOf>;

function instrumentsOf(registry: Registry) {
  const registers = [registry];
  /** Gauges of several processes add up by default. Other aggregators are for values that all processes share. */
  const gauges = (name: string, help: string, labelNames: string[], read: () => Labelled<Known>, aggregator = 'sum') =>
    new Gauge({
      ...{ name, help, labelNames, registers, aggregator: aggregator as 'sum' },
      collect() {
        this.reset();
        // `reset` leaves a gauge without labels at 0, whereas an unknown value must have no sample.
        if (labelNames.length === 0) this.remove();
        for (const [labels, value] of read()) if (value !== null) this.set(labels, value);
      },
    });
  const counters = (name: string, help: string, labelNames: string[], read: () => Labelled) =>
    new Counter({
      ...{ name, help, labelNames, registers },
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.inc(labels, value);
      },
    });
  const gauge = (name: string, help: string, read: () => Known, aggregator?: string) =>
    gauges(name, help, [], () => [[{}, read()]], aggregator);
  const counter = (name: string, help: string, read: () => number) => counters(name, help, [], () => [[{}, read()]]);
  return { gauges, counters, gauge, counter };
}

/** One sample per property, with its name as the value of the label. */
const samplesBy = (label: string, values: Readonly<Record<string, number>>): Labelled =>
  Object.entries(values).map(([name, value]) => [{ [label]: name }, value]);

function measureDatabase({ gauge, gauges }: Instruments, parts: Parts): void {
  gauge(
    'portico_database_usable',
    'Whether the database can be reached and may be served; checked every 5 seconds.',
    () => (parts.database().usable ? 1 : 0),
    'min',
  );
  gauge(
    'portico_database_unconfirmed',
    'Whether the database was restored, moved or promoted and has not been confirmed since.',
    () => (parts.database().unconfirmed ? 1 : 0),
    'max',
  );
  gauge(
    'portico_clock_ahead_seconds',
    "Lower bound of how far the gateway's clock is ahead of PostgreSQL's; negative if it is behind.",
    () => parts.database().clockAheadSeconds,
    'average',
  );
  const pools = (of: (pool: Pool) => number): Labelled =>
    parts.pools().map((pool) => [{ database: pool.name }, of(pool)]);
  gauges('portico_database_pool_connections', 'Open connections to PostgreSQL.', ['database', 'state'], () =>
    parts.pools().flatMap(
      ({ name, open, idle }): Labelled => [
        [{ database: name, state: 'in_use' }, open - idle],
        [{ database: name, state: 'idle' }, idle],
      ],
    ),
  );
  gauges('portico_database_pool_size', 'Maximum open connections to PostgreSQL.', ['database'], () =>
    pools(({ max }) => max),
  );
  gauges('portico_database_pool_waiting', 'Requests waiting for a connection to PostgreSQL.', ['database'], () =>
    pools(({ waiting }) => waiting),
  );
}

function measureReplicas({ gauges, counters }: Instruments, parts: Parts): void {
  gauges(
    'portico_replica_usable',
    'Whether the replica can be read; 0 if it does not answer or does not follow the primary.',
    ['replica'],
    () => parts.replicas().map(({ name, usable }) => [{ replica: name }, usable ? 1 : 0]),
    'min',
  );
  gauges(
    'portico_replica_lag_seconds',
    'How far the replica is behind the primary; absent if unknown.',
    ['replica'],
    () => parts.replicas().map(({ name, lagSeconds }) => [{ replica: name }, lagSeconds]),
    'max',
  );
  counters(
    'portico_portfolio_reads_total',
    'Requests that read portfolios, by the server that answered.',
    ['from'],
    () => samplesBy('from', parts.reads()),
  );
}

function measureRecords({ gauge, counter }: Instruments, parts: Parts): void {
  gauge(
    'portico_access_records_waiting',
    'Access records in memory, neither saved nor in the queue.',
    () => parts.records().waiting,
  );
  gauge(
    'portico_access_records_oldest_seconds',
    'Age of the oldest unsaved access record in this process or in the queue; 0 if there is none.',
    () => parts.records().oldestSeconds,
    'max',
  );
  gauge(
    'portico_access_record_ahead_seconds',
    'Time until the last partition of the access record ends; negative if calls cannot be saved.',
    () => {
      const { recordDaysAhead } = parts.database();
      return recordDaysAhead === null ? null : recordDaysAhead * 86_400;
    },
    'min',
  );
  counter(
    'portico_access_records_unlisted_total',
    'Refused calls that were only counted, because the key had too many in that minute.',
    () => parts.records().unlisted,
  );
  gauge(
    'portico_access_queue_batches',
    'Batches of access records of all gateways in the queue.',
    () => parts.records().queue.batches,
    'max',
  );
  counter(
    'portico_access_queue_losses_total',
    'Detected losses of the contents of the queue.',
    () => parts.records().queue.losses,
  );
  counter(
    'portico_access_records_written_total',
    'Access records saved or put into the queue.',
    () => parts.records().saved,
  );
  counter(
    'portico_access_record_failures_total',
    'Failed attempts to save access records.',
    () => parts.records().failures,
  );
}

/** All processes report the same ledger and the same outbox. */
function measureLedger({ gauge, gauges }: Instruments, parts: Parts): void {
  gauge(
    'portico_ledger_waiting',
    'Recorded calls and consent or key changes that are not yet in the ledger.',
    () => parts.database().ledger?.entries ?? null,
    'max',
  );
  gauge(
    'portico_ledger_oldest_seconds',
    'Age of the oldest entry that is not yet in the ledger; 0 if there is none.',
    () => parts.database().ledger?.oldestSeconds ?? null,
    'max',
  );
  gauges(
    'portico_ledger_witness_seconds',
    'Time since the witness last cosigned the ledger; before that, since it was first asked.',
    ['witness'],
    () => parts.witnesses().map(({ name, seconds }) => [{ witness: name }, seconds]),
    'max',
  );
}

function measureMails({ gauge, gauges, counter }: Instruments, parts: Parts): void {
  gauge('portico_mails_waiting', 'Mails waiting to be sent.', () => parts.mails().waiting, 'max');
  gauge(
    'portico_mails_oldest_seconds',
    'Age of the oldest mail waiting to be sent; 0 if there is none.',
    () => parts.mails().oldestSeconds,
    'max',
  );
  gauges(
    'portico_mails_unsent',
    'Mails given up in the last 24 hours: refused by the mail server, or lapsed because they were too old.',
    ['outcome'],
    () => {
      const { refused, lapsed } = parts.mails();
      return samplesBy('outcome', { refused, lapsed });
    },
    'max',
  );
  counter('portico_mails_sent_total', 'Mails accepted by the mail server.', () => parts.mails().sent);
  counter(
    'portico_mail_failures_total',
    'Failed attempts to send a mail that are retried.',
    () => parts.mails().failures,
  );
}

function measureResponses({ gauge, counters }: Instruments, parts: Parts): void {
  counters('portico_response_cache_lookups_total', 'Lookups in the response cache, by result.', ['result'], () => {
    const { hits, misses } = parts.responses();
    return samplesBy('result', { hit: hits, miss: misses });
  });
  gauge('portico_response_cache_bytes', 'Memory used by cached responses.', () => parts.responses().bytes);
  gauge('portico_response_cache_entries', 'Cached responses.', () => parts.responses().entries);
}

function measureTraces({ counters }: Instruments, parts: Parts): void {
  counters('portico_traces_total', 'Traced requests, by whether their trace was kept.', ['kept'], () => {
    const { kept, left } = parts.traces();
    return samplesBy('kept', { true: kept, false: left });
  });
  counters('portico_traces_exported_total', 'Kept traces, by whether the collector accepted them.', ['outcome'], () => {
    const { delivered, failed } = parts.traces();
    return samplesBy('outcome', { delivered, failed });
  });
}

function measureProgram({ gauges }: Instruments, about: About): void {
  gauges(
    'portico_build_info',
    'Version of the program and of Node, and the newest migration that the program knows.',
    ['version', 'schema', 'node'],
    () => [[{ version: about.version, schema: about.schema, node: process.version }, 1]],
    'first',
  );
  gauges(
    'portico_api_version_info',
    'Served versions of the API, by date and status.',
    ['version', 'status'],
    () => about.versions.map(({ date, status }) => [{ version: date, status }, 1]),
    'first',
  );
}
