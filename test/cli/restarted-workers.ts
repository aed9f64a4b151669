// Test support: a primary whose restart loses the first new worker while the second starts. Prints the number of
// workers.
import cluster from 'node:cluster';
import { startWorkers } from '#process/workers.ts';

if (cluster.isPrimary) {
  const workers = await startWorkers({ count: 2, args: [], patienceMs: 25_000, onDeath: () => {} });
  const all = () => Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
  const old = new Set(all());
  let killed = false;
  cluster.on('fork', () => {
    const [first, second] = all().filter((worker) => !old.has(worker));
    if (first === undefined || second === undefined || killed) return;
    killed = true;
    first.process.kill('SIGKILL');
  });
  const restarted = await workers?.restart();
  console.log(JSON.stringify({ restarted, killed, workers: all().filter((worker) => !worker.isDead()).length }));
  await workers?.stop();
  process.exit();
} else {
  process.on('message', ({ retire }: { retire?: true }) => retire && process.exit());
  process.on('SIGTERM', () => process.exit());
  setTimeout(() => process.send?.({ listening: { port: 1, internalPort: 2 } }), 300);
}
