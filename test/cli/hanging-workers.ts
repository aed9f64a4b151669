// Test support: a primary with three workers, one of which is blocked and one of which is stopped. Prints which workers
// run at the end.
import cluster, { type Worker } from 'node:cluster';
import { joinWorkers, startWorkers } from '#process/workers.ts';

if (cluster.isPrimary) {
  const ended: [pid: number, reason: string][] = [];
  const onDeath = (pid = 0, reason: string) => ended.push([pid, reason]);
  const listening: Worker[] = [];
  const { promise: replaced, resolve: onReplaced } = Promise.withResolvers<void>();
  cluster.on('message', (worker, { listening: listens }) => {
    if (listens === undefined) return;
    listening.push(worker);
    const [blocked, halted] = listening;
    if (listening.length === 3) {
      blocked?.send({ block: true });
      halted?.process.kill('SIGSTOP');
    }
    if (listening.length === 5) onReplaced();
  });
  const workers = await startWorkers({ count: 3, args: [], patienceMs: 25_000, askMs: 1_000, onDeath });
  await replaced;
  const [blocked, halted, kept] = listening.map(({ process: { pid } }) => pid);
  const reasons = Object.fromEntries(ended);
  const workersLeft = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isDead() === false);
  console.log(
    JSON.stringify({
      ...{ blocked: reasons[blocked ?? 0], halted: reasons[halted ?? 0], ended: ended.length },
      ...{ kept: workersLeft.some((worker) => worker?.process.pid === kept), workers: workersLeft.length },
    }),
  );
  await workers?.stop();
  process.exit();
} else {
  const link = joinWorkers();
  process.on('message', ({ block }: { block?: true }) => {
    // Blocks the event loop without using the CPU; bounded, in case the primary does not kill it.
    if (block) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300_000);
  });
  process.on('SIGTERM', () => process.exit());
  link.announce({ port: 1, internalPort: 2 });
}
