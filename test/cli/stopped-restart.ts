// Test support: a primary that is stopped while its restart waits for an old worker. Prints the number of workers left.
import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWorkers } from '#process/workers.ts';

if (cluster.isPrimary) {
  const workers = await startWorkers({ count: 2, args: [], patienceMs: 25_000, onDeath: () => {} });
  const all = () => Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
  const first = all()[0];
  const restarting = workers?.restart();
  // The worker acknowledges `retire` and then takes 500 ms to exit.
  await new Promise((acknowledged) =>
    first?.on('message', ({ going }: { going?: true }) => going && acknowledged(null)),
  );
  await workers?.stop();
  // Time for a worker that would be started wrongly to appear.
  await sleep(100);
  const left = all().filter((worker) => !worker.isDead()).length;
  console.log(JSON.stringify({ left, restarted: left === 0 && (await restarting) }));
  process.exit();
} else {
  process.on('message', ({ retire }: { retire?: true }) => {
    if (!retire) return;
    process.send?.({ going: true });
    setTimeout(() => process.exit(), 500);
  });
  process.send?.({ listening: { port: 1, internalPort: 2 } });
}
