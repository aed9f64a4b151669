// Bench: the product's promises of performance, compared with the measurements.
import { COLD, GRAPHQL, PRODUCT } from './contestants.ts';
import { markdownTable } from './report.ts';
import type { Result } from './results.ts';

type Measure = (result: Result) => number;

/** The figure of the first row divided by that of the second. */
interface Comparison {
  what: string;
  bound: ['at least' | 'at most', number];
  measure: Measure;
  /** Work and contestant. */
  rows: [[string, string], [string, string]];
  /** Concurrent callers, if not the run's usual number. */
  callers?: number;
}

const cpuWithPostgres: Measure = (result) => result.cpuSecondsPer1000 + result.postgresCpuSecondsPer1000;
/** The inverse of CPU. Less sensitive to other load on the machine, because it is taken round by round. */
const cpuByRounds: Measure = ({ ratioToFloor }) => ratioToFloor.median;
const p50: Measure = (result) => result.p50;

/** Requires that the contestant takes at least `least` times the CPU of the product's `row`. */
const fasterThan = (contestant: string, work: string, least: number, row = PRODUCT): Comparison => ({
  what: `${work}: CPU of ${contestant} ÷ ${row === PRODUCT ? 'the product’s' : `that of ${row}`}`,
  bound: ['at least', least],
  measure: cpuByRounds,
  rows: [
    [work, row],
    [work, contestant],
  ],
});

const COMPARISONS: readonly Comparison[] = [
  fasterThan('floor', 'list', 8),
  fasterThan('postgraphile', 'list', 2.5),
  fasterThan('naive', 'list', 8),
  fasterThan('floor', 'list-two-scopes', 6),
  fasterThan('floor', 'list-includes', 15),
  fasterThan('floor', 'valuations', 8),
  fasterThan('floor', 'documents', 2.5),
  fasterThan('floor', 'asset', 2.5),
  fasterThan('floor', 'summary', 3),
  fasterThan('floor', 'list-cold', 1.5),
  fasterThan('expert-floor', 'list-cold', 1),
  fasterThan('floor', 'includes-cold', 1.3),
  fasterThan('expert-floor', 'includes-cold', 1),
  fasterThan('floor', 'mixed', 3),
  // Callers walk through the same portfolio: only without the cache does each of them read it.
  fasterThan('floor', 'full-sync', 1.3, COLD),
  fasterThan('floor', 'plants', 0.9),
  fasterThan('floor', 'unauthenticated', 0.9),
  fasterThan('floor', 'not-modified', 8),
  fasterThan('floor', 'limited', 2),
  fasterThan('floor', 'list', 1, GRAPHQL),
  fasterThan('naive-yoga', 'list', 2, GRAPHQL),
  { ...fasterThan('floor', 'asset', 1), callers: 1 },
  { ...fasterThan('floor', 'list', 3), callers: 1 },
  {
    what: 'deep-page: p50 ÷ that of page 1',
    bound: ['at most', 1.5],
    measure: p50,
    rows: [
      ['deep-page', PRODUCT],
      ['first-page-10k', PRODUCT],
    ],
  },
  {
    what: 'summary-10k: CPU without a covering index ÷ the product’s, PostgreSQL’s included',
    bound: ['at least', 8],
    measure: cpuWithPostgres,
    rows: [
      ['summary-10k', 'summary-plain'],
      ['summary-10k', PRODUCT],
    ],
  },
  {
    // Deltas are read each time, so they are compared with lists that are, too.
    what: 'delta: p50 ÷ that of a list of 25 that is read, list-cold',
    bound: ['at most', 1.5],
    measure: p50,
    rows: [
      ['delta', PRODUCT],
      ['list-cold', PRODUCT],
    ],
  },
];

/**
 * A table of all comparisons whose rows were measured with the usual number of callers or their own; null if there are
 * none.
 */
export function comparisonsTable(results: readonly Result[], usual: number): string | null {
  const lines = COMPARISONS.flatMap(({ what, bound: [side, bound], measure, rows, callers = usual }) => {
    const [one, other] = rows.map(([work, contestant]) =>
      results.find((each) => each.work === work && each.contestant === contestant && each.concurrency === callers),
    );
    if (one === undefined || other === undefined) return [];
    const measured = measure(one) / measure(other);
    const holds = side === 'at least' ? measured >= bound : measured <= bound;
    return [[what, callers, `${side} ${bound}`, `${measured.toFixed(2)}${holds ? '' : ' (**missed**)'}`]];
  });
  if (lines.length === 0) return null;
  return `What is promised:\n\n${markdownTable(['', 'callers', 'promised', 'measured'], lines)}`;
}
