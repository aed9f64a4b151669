// Bench: the load generator, a process of its own: concurrent callers that each send the next request once answered.
import { Connection, nextPage, type Received, wireOf } from './connection.ts';
import type { Order, PreparedRequest, Round, SliceResult } from './generator.ts';
import { PortfolioWriter } from './portfolio-writer.ts';

/** Connections by origin, kept open between slices like a partner's. */
const connections = new Map<string, Connection[]>();

function connectionsTo(origin: string, count: number): Connection[] {
  const open = (connections.get(origin) ?? []).filter((connection) => connection.open);
  connections.set(origin, open);
  while (open.length < count) open.push(new Connection(origin));
  return open.slice(0, count);
}

interface Prepared extends Round {
  /** The bytes of each request. */
  wires: Buffer[];
  /** The next page of each caller that is walking through a list. */
  walks: Map<Connection, PreparedRequest>;
  answered: number;
  /**
   * Number of requests sent. Each slice continues where the previous one ended, so that all requests are sent before
   * one is repeated.
   */
  sent: number;
  /** Which answer of a hundred is followed by a write: random, so that all portfolios are written to. */
  writeAt: number;
}

/** By number. */
const prepared = new Map<number, Prepared>();
const writer = new PortfolioWriter(process.env.DATABASE_URL ?? '');
/** Number of requests between writes, independent of a contestant's speed. */
const WRITE_EVERY = 100;
/** Milliseconds after the end of a slice in which its last answer must arrive. */
const PATIENCE_MS = 60_000;

/** The next request of a caller: the next page of its walk, or the next one of the round. */
function wireFor({ walks, wires, origin }: Prepared, connection: Connection, turn: number): Buffer {
  const walk = walks.get(connection);
  return walk === undefined ? (wires[turn] as Buffer) : wireOf(walk, origin);
}

/** Follows up an answer: the next step of the caller's walk, or a write to its portfolio. */
async function follow(of: Prepared, connection: Connection, turn: number, { head }: Received): Promise<void> {
  if (of.follow) {
    const path = nextPage(head);
    const request = of.walks.get(connection) ?? (of.requests[turn] as PreparedRequest);
    if (path === null) of.walks.delete(connection);
    else of.walks.set(connection, { ...request, path });
  }
  const place = of.answered++ % WRITE_EVERY;
  if (place === 0) of.writeAt = Math.floor(Math.random() * WRITE_EVERY);
  if (of.writeTo !== null && place === of.writeAt) await writer.change(of.writeTo[turn] as string);
}

async function runSlice({ id, concurrency, milliseconds, most, expect }: Extract<Order, { kind: 'slice' }>) {
  const of = prepared.get(id) as Prepared;
  const { origin, wires } = of;
  const latencies: number[] = [];
  const faults: string[] = [];
  let admitted = 0;
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
      const turn = of.sent++ % wires.length;
      const wire = wireFor(of, connection, turn);
      const at = performance.now();
      const received = await connection.send(wire);
      latencies.push(performance.now() - at);
      judge(received);
      await follow(of, connection, turn, received);
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
    const wires = requests.map((request) => wireOf(request, origin));
    prepared.set(id, { ...order, wires, walks: new Map(), answered: 0, sent: 0, writeAt: 0 });
  } else process.send?.(await runSlice(order));
});
process.on('disconnect', () => process.exit());
