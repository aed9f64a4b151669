// Test support: a primary that for a while cannot start processes. Prints what it reported meanwhile, and the number of
// workers afterwards.
import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWorkers } from '#process/workers.ts';

if (cluster.isPrimary) {
  const reports: string[][] = [];
  const onDeath = (pid: number | undefined, reason: string) =>
    reports.push([pid === undefined ? 'not started' : 'died', reason]);
  const workers = await startWorkers({ count: 2, args: [], patienceMs: 25_000, onDeath });
  const all = () => Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
  const alive = () => all().filter((worker) => worker.process.pid !== undefined && !worker.isDead());
  const node = process.execPath;
  process.execPath = '/nowhere/node';
  const restarted = await workers?.restart();
  const kept = alive().length;
  const before = reports.splice(0);
  alive()[0]?.process.kill('SIGKILL');
  while (reports.length < 2) await sleep(50);
  process.execPath = node;
  while (alive().length < 2) await sleep(50);
  const [died, failed] = reports;
  console.log(JSON.stringify({ restarted, kept, before, died, failed, workers: alive().length }));
  await workers?.stop();
  process.exit();
} else {
  process.on('SIGTERM', () => process.exit());
  process.send?.({ listening: { port: 1, internalPort: 2 } });
}
