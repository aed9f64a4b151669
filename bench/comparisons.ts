// Bench: what the product promises of its speed, beside what was measured.
import { PRODUCT } from './contestants.ts';
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
}

const cpu: Measure = ({ cpuSecondsPer1000 }) => cpuSecondsPer1000;
const cpuWithPostgres: Measure = (result) => result.cpuSecondsPer1000 + result.postgresCpuSecondsPer1000;
/** Inverse to CPU, and less sensitive to what else the machine did, because it is taken round by round. */
const cpuByRounds: Measure = ({ ratioToFloor }) => ratioToFloor.median;
const p50: Measure = (result) => result.p50;
const requestsPerSecond: Measure = (result) => result.requestsPerSecond;

const fasterThan = (contestant: string, work: string, least: number): Comparison => ({
  what: `${work}: CPU of ${contestant} ÷ the product’s`,
  bound: ['at least', least],
  measure: cpuByRounds,
  rows: [
    [work, PRODUCT],
    [work, contestant],
  ],
});

const servedAgainstList = (work: string): Comparison => ({
  what: `${work}: requests/s ÷ the list’s`,
  bound: ['at least', 4],
  measure: requestsPerSecond,
  rows: [
    [work, PRODUCT],
    ['list', PRODUCT],
  ],
});

const COMPARISONS: readonly Comparison[] = [
  fasterThan('floor', 'list', 1.25),
  fasterThan('expert-floor', 'list', 0.95),
  fasterThan('postgraphile', 'list', 2.5),
  fasterThan('naive', 'list', 8),
  fasterThan('floor', 'list-two-scopes', 1.4),
  fasterThan('floor', 'list-includes', 1.25),
  fasterThan('floor', 'asset', 1),
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
    what: 'delta: p50 ÷ that of a list of 25',
    bound: ['at most', 1.5],
    measure: p50,
    rows: [
      ['delta', PRODUCT],
      ['list', PRODUCT],
    ],
  },
  servedAgainstList('not-modified'),
  servedAgainstList('unauthenticated'),
  servedAgainstList('limited'),
  {
    what: 'list by GraphQL over HTTP, parsed and validated afresh: CPU of naive-yoga ÷ the product’s',
    bound: ['at least', 2],
    measure: cpu,
    rows: [
      ['list', 'naive-yoga'],
      ['list', 'portico-graphql'],
    ],
  },
];

/** A table of all whose rows were measured with so many callers; null where none was. */
export function comparisonsTable(results: readonly Result[], callers: number): string | null {
  const find = ([work, contestant]: [string, string]) =>
    results.find((each) => each.work === work && each.contestant === contestant && each.concurrency === callers);
  const lines = COMPARISONS.flatMap(({ what, bound: [side, bound], measure, rows }) => {
    const [one, other] = rows.map(find);
    if (one === undefined || other === undefined) return [];
    const measured = measure(one) / measure(other);
    const holds = side === 'at least' ? measured >= bound : measured <= bound;
    return [[what, `${side} ${bound}`, `${measured.toFixed(2)}${holds ? '' : ' (**missed**)'}`]];
  });
  if (lines.length === 0) return null;
  return `With ${callers} callers:\n\n${markdownTable(['', 'promised', 'measured'], lines)}`;
}
