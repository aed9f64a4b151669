// Bench: the load generator, a process of its own: so many callers that each send the next request when answered.
import { Connection, type Received, wireOf } from './connection.ts';
import type { Order, SliceResult } from './generator.ts';

/** Connections by origin, kept between slices as a partner keeps them. */
const connections = new Map<string, Connection[]>();

function connectionsTo(origin: string, count: number): Connection[] {
  const open = (connections.get(origin) ?? []).filter((connection) => connection.open);
  connections.set(origin, open);
  while (open.length < count) open.push(new Connection(origin));
  return open.slice(0, count);
}

/** By number: where to send it, and the bytes. */
const prepared = new Map<number, { origin: string; wires: Buffer[] }>();
/** Milliseconds after the end of a slice in which its last answer has to come. */
const PATIENCE_MS = 60_000;

async function runSlice({ id, concurrency, milliseconds, most, expect }: Extract<Order, { kind: 'slice' }>) {
  const { origin, wires } = prepared.get(id) ?? { origin: '', wires: [] };
  const latencies: number[] = [];
  const faults: string[] = [];
  let admitted = 0;
  let sent = Math.floor(Math.random() * wires.length);
  let left = most;
  const cpu = process.cpuUsage();
  const started = performance.now();
  const deadline = started + milliseconds;

  const judge = ({ status, length }: Received): void => {
    if (status === 200 && expect.status !== 200 && expect.mayAdmit > 0) admitted += 1;
    else if (status !== expect.status) faults.push(`status ${status} instead of ${expect.status}`);
    else if (length < expect.least || length > expect.most)
      faults.push(`a body of ${length} bytes instead of ${expect.least} to ${expect.most}`);
  };
  const caller = async (connection: Connection): Promise<void> => {
    while (performance.now() < deadline && faults.length === 0 && left > 0) {
      left -= 1;
      const wire = wires[sent++ % wires.length] as Buffer;
      const at = performance.now();
      judge(await connection.send(wire));
      latencies.push(performance.now() - at);
    }
  };
  const open = connectionsTo(origin, concurrency);
  const late = setTimeout(() => {
    for (const connection of open) connection.giveUp(new Error('no answer within a minute'));
  }, milliseconds + PATIENCE_MS);
  await Promise.all(open.map(caller).map((each) => each.catch((error: unknown) => faults.push(String(error)))));
  clearTimeout(late);
  if (admitted > expect.mayAdmit) faults.push(`${admitted} requests were admitted`);

  const seconds = (performance.now() - started) / 1000;
  const used = process.cpuUsage(cpu);
  const result: SliceResult = {
    requests: latencies.length,
    seconds,
    latencies: Float32Array.from(latencies),
    generatorSeconds: (used.user + used.system) / 1e6,
    fault: faults[0] ?? null,
  };
  return result;
}

process.on('message', async (order: Order) => {
  if (order.kind === 'prepare') {
    const { id, origin, requests } = order;
    prepared.set(id, { origin, wires: requests.map((request) => wireOf(request, origin)) });
  } else process.send?.(await runSlice(order));
});
process.on('disconnect', () => process.exit());
