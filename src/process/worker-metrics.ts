// Process: metrics of all workers. The scraped worker asks the primary, which collects a report from every worker.
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, Gauge, type MetricObject } from 'prom-client';
import type { Exposition, Metrics } from '#observability/metrics/metrics.ts';

/** Types of metrics that only increase. */
const COUNTS: ReadonlySet<string> = new Set(['counter', 'histogram']);

/** How long the primary waits for a worker's report, and a worker for the primary's answer. */
const REPORT_MS = 1_000;
const ANSWER_MS = 3_000;

/** Id of the report that a worker sends by itself before it exits. */
const LAST = 0;

type ToPrimary = { metrics: 'wanted'; id: number } | { metrics: 'reported'; id: number; report: MetricObject[] };
type ToWorker = { metrics: 'report'; id: number } | { metrics: 'exposition'; id: number; text: string };

/** In a worker: the exposition of all workers. */
export function metricsOfAllWorkers(own: Metrics): Exposition {
  const waiting = new Map<number, (text: string) => void>();
  let requests = 0;
  // Once the primary is gone, a message without a callback would end this process with its requests in flight.
  const send = (message: ToPrimary) => process.send?.(message, undefined, {}, () => {});
  process.on('message', async (message: ToWorker) => {
    if (message.metrics === 'report')
      send({ metrics: 'reported', id: message.id, report: (await own.report()) as MetricObject[] });
    if (message.metrics === 'exposition') waiting.get(message.id)?.(message.text);
  });
  return {
    contentType: own.contentType,
    async close() {
      const report = (await own.report()) as MetricObject[];
      const message: ToPrimary = { metrics: 'reported', id: LAST, report };
      // The process may exit once the report is sent.
      await new Promise((sent) => process.send?.(message, undefined, {}, sent) ?? sent(null));
    },
    async text() {
      const id = ++requests;
      const answer = new Promise<string>((resolve) => {
        waiting.set(id, resolve);
      });
      send({ metrics: 'wanted', id });
      const text = await Promise.race([answer, nullAfter(ANSWER_MS)]);
      waiting.delete(id);
      if (text === null) throw new Error('the primary process did not answer with the metrics of all workers');
      return text;
    },
  };
}

/**
 * In the primary: answers workers that want the metrics of all. Counters must not decrease: a worker that does not
 * report in time counts with its last report, and so does one that has exited. A killed worker loses what it counted
 * since its last report.
 */
export function gatherMetrics(workers: () => Iterable<Worker>): void {
  const last = new Map<Worker, MetricObject[]>();
  let ended: MetricObject[] = [];
  const reporting = new Map<number, (report: MetricObject[]) => void>();
  let requests = 0;
  const reportOf = (worker: Worker): Promise<MetricObject[] | null> => {
    const id = ++requests;
    const report = new Promise<MetricObject[]>((resolve) => {
      reporting.set(id, resolve);
    });
    send(worker, { metrics: 'report', id });
    return Promise.race([report, nullAfter(REPORT_MS)]).finally(() => reporting.delete(id));
  };
  cluster.on('message', async (worker, message: ToPrimary) => {
    if (message.metrics === 'reported') {
      last.set(worker, message.report);
      reporting.get(message.id)?.(message.report);
    }
    if (message.metrics !== 'wanted') return;
    const reports = await Promise.all([...workers()].map(reportOf));
    // A worker that does not answer is not serving.
    const serving = reports.filter((report) => report !== null).length;
    send(worker, { metrics: 'exposition', id: message.id, text: await together([...last.values(), ended], serving) });
  });
  const bury = (worker: Worker) => {
    const counts = (last.get(worker) ?? []).filter(({ type }) => COUNTS.has(`${type}`));
    last.delete(worker);
    ended = AggregatorRegistry.aggregate([ended, counts]).getMetricsAsArray();
  };
  // Its last report may still be in transit.
  cluster.on('exit', (worker) => {
    if (worker.isConnected()) worker.once('disconnect', () => bury(worker));
    else bury(worker);
  });
}

/** The exposition of these reports; `serving`: number of workers that answer. */
export function together(reports: MetricObject[][], serving: number): Promise<string> {
  const registry = AggregatorRegistry.aggregate(reports);
  new Gauge({ name: 'portico_workers', help: 'Running workers.', registers: [registry] }).set(serving);
  return registry.metrics();
}

/** Skips disconnected workers. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

const nullAfter = (ms: number): Promise<null> => sleep(ms, null, { ref: false });
