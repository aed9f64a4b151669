// Process: metrics of all workers. The worker that is asked asks the primary, which asks every worker.
import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, Gauge, type MetricObject } from 'prom-client';
import type { Exposition, Metrics } from '#observability/metrics.ts';

/** How long the primary waits for a worker, and a worker for the primary. */
const REPORT_MS = 1_000;
const ANSWER_MS = 3_000;

type ToPrimary = { metrics: 'wanted'; id: number } | { metrics: 'reported'; id: number; report: MetricObject[] };
type ToWorker = { metrics: 'report'; id: number } | { metrics: 'exposition'; id: number; text: string };

/** In a worker: the exposition of all of them. A worker that died takes its counts with it. */
export function metricsOfAllWorkers(own: Metrics): Exposition {
  const waiting = new Map<number, (text: string) => void>();
  let requests = 0;
  const send = (message: ToPrimary) => process.send?.(message);
  process.on('message', async (message: ToWorker) => {
    if (message.metrics === 'report')
      send({ metrics: 'reported', id: message.id, report: (await own.report()) as MetricObject[] });
    if (message.metrics === 'exposition') waiting.get(message.id)?.(message.text);
  });
  return {
    contentType: own.contentType,
    async text() {
      const id = ++requests;
      const answer = new Promise<string>((resolve) => {
        waiting.set(id, resolve);
      });
      send({ metrics: 'wanted', id });
      const text = await Promise.race([answer, after(ANSWER_MS, null)]);
      waiting.delete(id);
      if (text === null) throw new Error('the primary process did not answer with the metrics of all workers');
      return text;
    },
  };
}

/** In the primary: answers workers that want the metrics of all. A worker that does not report in time is left out. */
export function gatherMetrics(workers: () => Iterable<Worker>): void {
  const reporting = new Map<number, (report: MetricObject[]) => void>();
  let requests = 0;
  const reportOf = (worker: Worker): Promise<MetricObject[] | null> => {
    const id = ++requests;
    const report = new Promise<MetricObject[]>((resolve) => {
      reporting.set(id, resolve);
    });
    send(worker, { metrics: 'report', id });
    return Promise.race([report, after(REPORT_MS, null)]).finally(() => reporting.delete(id));
  };
  cluster.on('message', async (worker, message: ToPrimary) => {
    if (message.metrics === 'reported') reporting.get(message.id)?.(message.report);
    if (message.metrics !== 'wanted') return;
    const reports = (await Promise.all([...workers()].map(reportOf))).filter((report) => report !== null);
    send(worker, { metrics: 'exposition', id: message.id, text: await together(reports) });
  });
}

function together(reports: MetricObject[][]): Promise<string> {
  const registry = AggregatorRegistry.aggregate(reports);
  new Gauge({ name: 'portico_workers', help: 'Workers that serve', registers: [registry] }).set(reports.length);
  return registry.metrics();
}

/** A worker that is going has nobody to tell. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

function after<Value>(ms: number, value: Value): Promise<Value> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, value).unref();
  });
}
