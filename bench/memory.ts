// Bench: whether the product's memory is stable over many requests of all kinds.
import { PRODUCT } from './contestants.ts';
import { residentMb } from './cpu.ts';
import { type Bench, prepareCells } from './measure.ts';
import { note } from './progress.ts';
import { markdownTable } from './report.ts';
import { quantile } from './results.ts';
import { USUAL_CALLERS, WORKS } from './works.ts';

const REQUESTS = 200_000;
/** Requests of one work at a time. */
const BATCH = 400;
/** A key at its limit would be admitted after a while, and large sums only take long. */
const LEFT_OUT = ['limited', 'summary-10k'];

interface Sample {
  requests: number;
  mb: number;
}

export async function watchMemory(bench: Bench): Promise<string> {
  const running = bench.running.find(({ contestant }) => contestant.name === PRODUCT);
  if (running === undefined) throw new Error('the product is not running');
  const works = WORKS.filter(({ name }) => !LEFT_OUT.includes(name));
  const cells = await prepareCells({ ...bench, running: [running] }, works, () => [USUAL_CALLERS]);
  const samples: Sample[] = [{ requests: 0, mb: residentMb(running.pid) }];
  let sent = 0;
  let told = 0;
  while (sent < REQUESTS) {
    const cell = cells[Math.floor(Math.random() * cells.length)] as (typeof cells)[number];
    const order = { id: cell.requests, concurrency: USUAL_CALLERS, expect: cell.expect };
    const most = Math.min(BATCH, REQUESTS - sent);
    sent += (await bench.generator.slice({ ...order, milliseconds: 60_000, most }, cell.work.name)).requests;
    samples.push({ requests: sent, mb: residentMb(running.pid) });
    if (sent - told >= REQUESTS / 10) {
      told = sent;
      note(`memory: ${sent.toLocaleString('en-GB')} requests, ${residentMb(running.pid).toFixed(0)} MB`);
    }
  }
  return describe(samples, works.length);
}

function describe(samples: Sample[], works: number): string {
  const last = samples.filter(({ requests }) => requests >= REQUESTS / 2);
  const sorted = (of: Sample[]) => of.map(({ mb }) => mb).sort((one, other) => one - other);
  const rows = [
    ['at the start', samples[0]?.mb ?? 0],
    ['most', Math.max(...sorted(samples))],
    ['median of the first half', quantile(sorted(samples.filter(({ requests }) => requests < REQUESTS / 2)), 0.5)],
    ['median of the last half', quantile(sorted(last), 0.5)],
    ['slope over the last half, per 100,000 requests', slope(last) * 100_000],
  ] as const;
  return [
    `${REQUESTS.toLocaleString('en-GB')} requests of ${works} works by ${USUAL_CALLERS} callers to one process of the product;`,
    'keys and clients vary. Resident memory:\n',
    markdownTable(
      ['', 'MB'],
      rows.map(([name, mb]) => [name, mb.toFixed(1)]),
    ),
  ].join('\n');
}

/** MB per request, by least squares. */
function slope(samples: Sample[]): number {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, each) => sum + of(each), 0) / samples.length;
  const [x, y] = [mean(({ requests }) => requests), mean(({ mb }) => mb)];
  const covariance = mean(({ requests, mb }) => (requests - x) * (mb - y));
  return covariance / mean(({ requests }) => (requests - x) ** 2);
}
