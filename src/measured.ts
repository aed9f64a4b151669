// The metrics of the gateway's parts and of the program, read at each scrape.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database, PoolState } from '#database/database.ts';
import { migrations } from '#database/migrations/index.ts';
import type { Reads } from '#database/replicas.ts';
import type { AccessQueue } from '#gateway/access-queue/access-queue.ts';
import type { Witnessing } from '#gateway/ledger/witnessing.ts';
import type { AccessRecorder } from '#observability/access-recorder.ts';
import type { Tracing } from '#observability/tracing/tracing.ts';
import type { Sender } from '#portal/notices/sender.ts';
import type { ResponseCache } from '#rest-facade/response-cache.ts';
import type { Version } from '#versions/change.ts';
import npm from '../package.json' with { type: 'json' };
import type { Background } from './background.ts';

/** Version of the program. */
export const PROGRAM: string = npm.version;

/** The parts that are measured, of each what is read. */
export interface Measured extends Pick<Background, 'databaseState'> {
  database: Pick<Database, 'pool'>;
  reads: Pick<Reads, 'states' | 'counts'>;
  recorder: Pick<AccessRecorder, 'waiting' | 'oldestSeconds' | 'counts'>;
  /** Null where calls are saved directly. */
  queue: Pick<AccessQueue, 'state' | 'counts'> | null;
  witnessing: Pick<Witnessing, 'states'>;
  responses: Pick<ResponseCache, 'state'>;
  /** Null where no mails are sent. */
  sender: Pick<Sender, 'outbox' | 'counts'> | null;
  /** Null where requests are not traced. */
  tracing: Pick<Tracing, 'counts'> | null;
}

/** Null: unknown, so no sample is exposed. */
type Known = number | null;
type Labelled<Value = number> = readonly (readonly [labels: Record<string, string>, value: Value])[];

/** Adds the metrics of these parts and of the versions served. */
export function measureParts(registry: Registry, parts: Measured, versions: readonly Version[]): void {
  const instruments = instrumentsOf(registry);
  measureDatabase(instruments, parts);
  measureReplicas(instruments, parts);
  measureRecords(instruments, parts);
  measureLedger(instruments, parts);
  measureMails(instruments, parts);
  measureResponses(instruments, parts);
  measureTraces(instruments, parts);
  measureProgram(instruments, versions);
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

function measureDatabase({ gauge, gauges }: Instruments, { database, reads, databaseState }: Measured): void {
  gauge(
    'portico_database_usable',
    'Whether the database can be reached and may be served; checked every 5 seconds.',
    () => (databaseState().usable ? 1 : 0),
    'min',
  );
  gauge(
    'portico_database_unconfirmed',
    'Whether the database was restored, moved or promoted and has not been confirmed since.',
    () => (databaseState().unconfirmed ? 1 : 0),
    'max',
  );
  gauge(
    'portico_clock_ahead_seconds',
    "Lower bound of how far the gateway's clock is ahead of PostgreSQL's; negative if it is behind.",
    () => databaseState().clockAheadSeconds,
    'average',
  );
  const pools = (): { name: string; pool: PoolState }[] => [
    { name: 'primary', pool: database.pool() },
    ...reads.states(),
  ];
  const perPool = (of: (pool: PoolState) => number): Labelled =>
    pools().map(({ name, pool }) => [{ database: name }, of(pool)]);
  gauges('portico_database_pool_connections', 'Open connections to PostgreSQL.', ['database', 'state'], () =>
    pools().flatMap(
      ({ name, pool: { open, idle } }): Labelled => [
        [{ database: name, state: 'in_use' }, open - idle],
        [{ database: name, state: 'idle' }, idle],
      ],
    ),
  );
  gauges('portico_database_pool_size', 'Maximum open connections to PostgreSQL.', ['database'], () =>
    perPool(({ max }) => max),
  );
  gauges('portico_database_pool_waiting', 'Requests waiting for a connection to PostgreSQL.', ['database'], () =>
    perPool(({ waiting }) => waiting),
  );
}

function measureReplicas({ gauges, counters }: Instruments, { reads }: Measured): void {
  gauges(
    'portico_replica_usable',
    'Whether the replica can be read; 0 if it does not answer or does not follow the primary.',
    ['replica'],
    () => reads.states().map(({ name, usable }) => [{ replica: name }, usable ? 1 : 0]),
    'min',
  );
  gauges(
    'portico_replica_lag_seconds',
    'How far the replica is behind the primary; absent if unknown.',
    ['replica'],
    () => reads.states().map(({ name, lagSeconds }) => [{ replica: name }, lagSeconds]),
    'max',
  );
  counters(
    'portico_portfolio_reads_total',
    'Requests that read portfolios, by the server that answered.',
    ['from'],
    () => samplesBy('from', reads.counts()),
  );
}

/** The age of records and failures to save them are those of the process and its queue together. */
function measureRecords({ gauge, counter }: Instruments, { recorder, queue, databaseState }: Measured): void {
  gauge('portico_access_records_waiting', 'Access records in memory, neither saved nor in the queue.', () =>
    recorder.waiting(),
  );
  gauge(
    'portico_access_records_oldest_seconds',
    'Age of the oldest unsaved access record in this process or in the queue; 0 if there is none.',
    () => Math.max(recorder.oldestSeconds(), queue?.state().oldestSeconds ?? 0),
    'max',
  );
  gauge(
    'portico_access_record_ahead_seconds',
    'Time until the last partition of the access record ends; negative if calls cannot be saved.',
    () => {
      const { recordDaysAhead } = databaseState();
      return recordDaysAhead === null ? null : recordDaysAhead * 86_400;
    },
    'min',
  );
  counter(
    'portico_access_records_unlisted_total',
    'Refused calls that were only counted, because the key had too many in that minute.',
    () => recorder.counts().unlisted,
  );
  gauge(
    'portico_access_queue_batches',
    'Batches of access records of all gateways in the queue.',
    () => queue?.state().batches ?? 0,
    'max',
  );
  counter(
    'portico_access_queue_losses_total',
    'Detected losses of the contents of the queue.',
    () => queue?.counts().losses ?? 0,
  );
  counter(
    'portico_access_records_written_total',
    'Access records saved or put into the queue.',
    () => recorder.counts().saved,
  );
  counter(
    'portico_access_record_failures_total',
    'Failed attempts to save access records.',
    () => recorder.counts().failures + (queue?.counts().failures ?? 0),
  );
}

/** All processes report the same ledger and the same outbox. */
function measureLedger({ gauge, gauges }: Instruments, { databaseState, witnessing }: Measured): void {
  gauge(
    'portico_ledger_waiting',
    'Recorded calls and consent or key changes that are not yet in the ledger.',
    () => databaseState().ledger?.entries ?? null,
    'max',
  );
  gauge(
    'portico_ledger_oldest_seconds',
    'Age of the oldest entry that is not yet in the ledger; 0 if there is none.',
    () => databaseState().ledger?.oldestSeconds ?? null,
    'max',
  );
  gauges(
    'portico_ledger_witness_seconds',
    'Time since the witness last cosigned the ledger; before that, since it was first asked.',
    ['witness'],
    () => witnessing.states().map(({ name, seconds }) => [{ witness: name }, seconds]),
    'max',
  );
}

/** The state of the outbox is absent where this process sends no mails: nothing is to be sent then. */
function measureMails({ gauge, gauges, counter }: Instruments, { sender }: Measured): void {
  gauge('portico_mails_waiting', 'Mails waiting to be sent.', () => sender?.outbox().waiting ?? null, 'max');
  gauge(
    'portico_mails_oldest_seconds',
    'Age of the oldest mail waiting to be sent; 0 if there is none.',
    () => sender?.outbox().oldestSeconds ?? null,
    'max',
  );
  gauges(
    'portico_mails_unsent',
    'Mails given up in the last 24 hours: refused by the mail server, or lapsed because they were too old.',
    ['outcome'],
    () => {
      if (sender === null) return [];
      const { refused, lapsed } = sender.outbox();
      return samplesBy('outcome', { refused, lapsed });
    },
    'max',
  );
  counter('portico_mails_sent_total', 'Mails accepted by the mail server.', () => sender?.counts().sent ?? 0);
  counter(
    'portico_mail_failures_total',
    'Failed attempts to send a mail that are retried.',
    () => sender?.counts().failures ?? 0,
  );
}

function measureResponses({ gauge, counters }: Instruments, { responses }: Measured): void {
  counters('portico_response_cache_lookups_total', 'Lookups in the response cache, by result.', ['result'], () => {
    const { hits, misses } = responses.state();
    return samplesBy('result', { hit: hits, miss: misses });
  });
  gauge('portico_response_cache_bytes', 'Memory used by cached responses.', () => responses.state().bytes);
  gauge('portico_response_cache_entries', 'Cached responses.', () => responses.state().entries);
}

function measureTraces({ counters }: Instruments, { tracing }: Measured): void {
  const counts = () => tracing?.counts() ?? { kept: 0, left: 0, delivered: 0, failed: 0 };
  counters('portico_traces_total', 'Traced requests, by whether their trace was kept.', ['kept'], () => {
    const { kept, left } = counts();
    return samplesBy('kept', { true: kept, false: left });
  });
  counters('portico_traces_exported_total', 'Kept traces, by whether the collector accepted them.', ['outcome'], () => {
    const { delivered, failed } = counts();
    return samplesBy('outcome', { delivered, failed });
  });
}

function measureProgram({ gauges }: Instruments, versions: readonly Version[]): void {
  gauges(
    'portico_build_info',
    'Version of the program and of Node, and the newest migration that the program knows.',
    ['version', 'schema', 'node'],
    () => [[{ version: PROGRAM, schema: migrations.at(-1)?.name ?? '', node: process.version }, 1]],
    'first',
  );
  gauges(
    'portico_api_version_info',
    'Served versions of the API, by date and status.',
    ['version', 'status'],
    () => versions.map(({ date, retirement }) => [{ version: date, status: retirement ? 'deprecated' : 'served' }, 1]),
    'first',
  );
}
