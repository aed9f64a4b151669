// Bench: the measurement: every contestant is warmed up, then short slices are run in random order, round after round.
import { type Answer, answersOf, ask, compare } from './check.ts';
import { FLOOR, PRODUCT } from './contestants.ts';
import { cpuSeconds, FamilyClock, residentMb } from './cpu.ts';
import type { DataSet } from './data.ts';
import type { Expectation, Generator, PreparedRequest } from './generator.ts';
import type { Running } from './processes.ts';
import { note } from './progress.ts';
import type { Server } from './servers.ts';
import type { Target, Work } from './works.ts';

/** One work of one contestant, with a number of concurrent callers. */
export interface Cell {
  work: Work;
  running: Running;
  concurrency: number;
  requests: number;
  expect: Expectation;
}

export interface Slice {
  round: number;
  requests: number;
  seconds: number;
  latencies: Float32Array;
  /** CPU seconds per request. */
  gateway: number;
  postgres: number;
  /** Share of the servers' core that was in use. */
  serversBusy: number;
  generator: number;
}

export interface Measured {
  cell: Cell;
  slices: Slice[];
  rssMb: number;
}

export interface Bench {
  data: DataSet;
  postgres: Server;
  redis: Server;
  generator: Generator;
  running: Running[];
  /** The product's answers by work, also for heats without it. */
  reference: Map<string, Answer[]>;
}

export interface Pace {
  rounds: number;
  sliceMs: number;
  warmUpMs: number;
  /** Number of requests after which a cell is warm, if they take less than `warmUpMs`. */
  warmUpRequests?: number;
}

/** Whether a contestant other than the floor supports the work: the floor alone has no comparison. */
const isCompared = (running: readonly Running[], work: Work): boolean =>
  running.some((each) => each.contestant.name !== FLOOR && offers(each, work));

const offers = ({ contestant }: Running, work: Work): boolean => contestant.works?.includes(work.name) ?? true;

/** Checks all contestants' answers against the product's, and returns the cells to measure. */
export async function prepareCells(
  { data, generator, running, reference }: Bench,
  works: readonly Work[],
  concurrencies: (work: Work) => number[],
): Promise<Cell[]> {
  const product = running.find(({ contestant }) => contestant.name === PRODUCT);
  const cells: Cell[] = [];
  for (const work of works.filter((work) => isCompared(running, work))) {
    const targets = work.targets(data);
    if (product !== undefined) reference.set(work.name, await answersOf(work, targets, data, product));
    const wanted = reference.get(work.name);
    if (wanted === undefined) throw new Error(`${work.name}: nothing to compare with`);
    for (const each of running) {
      if (!offers(each, work)) continue;
      const expect = compare(work, each, await answersOf(work, targets, data, each), wanted);
      const prepared = await requestsOf(work, targets, data, each);
      const requests = generator.prepare({
        origin: each.origin,
        requests: prepared,
        follow: work.follow ?? false,
        writeTo: work.written ? targets.map(({ clientId }) => clientId) : null,
      });
      for (const concurrency of concurrencies(work)) cells.push({ work, running: each, concurrency, requests, expect });
    }
  }
  return cells;
}

async function requestsOf(work: Work, targets: Target[], data: DataSet, running: Running): Promise<PreparedRequest[]> {
  const { dialect } = running.contestant;
  const requests = targets.map((target) => dialect.request(target, data));
  if (!work.conditional) return requests;
  // Each client's page has its own tag, independent of the key.
  const some = requests.slice(0, new Set(targets.map(({ clientId }) => clientId)).size);
  for (const request of some) {
    const { headers } = await ask(running.origin, request);
    request.headers['If-None-Match'] = headers.get('etag') ?? '';
  }
  return some;
}

export async function measure(bench: Bench, cells: Cell[], pace: Pace): Promise<Measured[]> {
  const measured = new Map(cells.map((cell): [Cell, Measured] => [cell, { cell, slices: [], rssMb: 0 }]));
  const clock = { postgres: new FamilyClock(bench.postgres.pid) };
  note(`warming up: ${cells.length} cells`);
  for (const cell of cells) await runSlice(bench, cell, 0, pace.warmUpMs, clock, pace.warmUpRequests);
  for (let round = 1; round <= pace.rounds; round++) {
    note(`round ${round} of ${pace.rounds}`);
    // The floor and those compared with it are measured shortly after each other, in random order.
    for (const group of shuffled([...groupsOf(cells).values()])) {
      for (const cell of shuffled(group)) {
        const slice = await runSlice(bench, cell, round, pace.sliceMs, clock);
        const of = measured.get(cell) as Measured;
        of.slices.push(slice);
        of.rssMb = Math.max(of.rssMb, residentMb(cell.running.pid));
      }
    }
  }
  return [...measured.values()];
}

const groupsOf = (cells: Cell[]) => Map.groupBy(cells, ({ work, concurrency }) => `${work.name} ${concurrency}`);

/** Not measured, so that a slice does not pay for warming up processor and compiler. */
const LEAD_IN_MS = 100;

async function runSlice(
  { generator, redis }: Bench,
  { work, running, concurrency, requests, expect }: Cell,
  round: number,
  milliseconds: number,
  clock: { postgres: FamilyClock },
  most = Number.MAX_SAFE_INTEGER,
): Promise<Slice> {
  const { pid, contestant } = running;
  const order = { id: requests, concurrency, milliseconds, most, expect };
  const name = `${work.name}: ${contestant.name}`;
  await generator.slice({ ...order, milliseconds: LEAD_IN_MS }, name);
  clock.postgres.lap();
  const before = { gateway: cpuSeconds(pid), redis: cpuSeconds(redis.pid) };
  const result = await generator.slice(order, name);
  const gateway = cpuSeconds(pid) - before.gateway;
  const postgres = clock.postgres.lap();
  const others = cpuSeconds(redis.pid) - before.redis + result.generatorSeconds;
  return {
    round,
    requests: result.requests,
    seconds: result.seconds,
    latencies: result.latencies,
    gateway: gateway / result.requests,
    postgres: postgres / result.requests,
    serversBusy: (postgres + others) / result.seconds,
    generator: result.generatorSeconds / result.requests,
  };
}

function shuffled<Entry>(entries: readonly Entry[]): Entry[] {
  const left = [...entries];
  for (let at = left.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [left[at], left[other]] = [left[other] as Entry, left[at] as Entry];
  }
  return left;
}
