// Repositories: the thread of month-thread.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { ArchiveFault } from './manifest.ts';
import { type Job, MonthJob } from './month-jobs.ts';
import type { Order, Reply } from './month-thread.ts';

const begun = MonthJob.begin(workerData as Job);
// The failure is reported with the first order.
begun.catch(() => {});

async function follow(order: Order): Promise<Reply> {
  const job = await begun;
  if ('finish' in order) return { written: await job.finish() };
  await job.add(order.add);
  return { done: true };
}

parentPort?.on('message', (order: Order) => {
  follow(order)
    .catch((error: Error): Reply => ({ failed: { message: error.message, isFault: error instanceof ArchiveFault } }))
    .then((reply) => parentPort?.postMessage(reply));
});
