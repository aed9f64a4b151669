// Bench: the options on the command line.
import { parseArgs } from 'node:util';
import { CONTESTANTS, type Contestant, PRODUCT } from './contestants.ts';
import type { Pace } from './measure.ts';
import {
  LADDER_WORKS,
  LARGE_WORKS,
  QUICK_CALLERS,
  QUICK_WORKS,
  USUAL_CALLERS,
  WORKS,
  type Work,
  workNamed,
} from './works.ts';

export interface Options {
  help: boolean;
  /** Which parts to run. */
  table: boolean;
  /** Everything, as for RESULTS.md. */
  whole: boolean;
  growth: boolean;
  memory: boolean;
  /** Of the portal's pages. Needs the built portal and Chromium, so it runs only on request. */
  responsiveness: boolean;
  /** Of the access record. Takes disk space and time, so it runs only on request. */
  record: boolean;
  works: readonly Work[];
  contestants: readonly Contestant[];
  /** Callers at a time. */
  concurrencies: (work: Work) => number[];
  /** The number of callers for comparisons with the product's promises. */
  callers: number;
  /** Whether the data set has its large clients. */
  large: boolean;
  pace: Pace;
  out: string | undefined;
  keepData: string | undefined;
  installDirectus: boolean;
}

const LADDER = [1, USUAL_CALLERS, 512];

export const HELP = `npm run bench -- [options]

Measures the gateway beside its peers on a PostgreSQL and a Redis of its own.
Without options everything but --responsiveness and --record is measured, which takes an hour or more, and bench/RESULTS.md
is written.

  --quick              the four most frequent works, ${QUICK_CALLERS} callers, under four minutes
  --work a,b           only these works: ${WORKS.map(({ name }) => name).join(', ')}
  --contestants a,b    only these, with the floor and portico-rest: ${CONTESTANTS.map(({ name }) => name).join(', ')}
  --concurrency 1,48   callers at a time (${USUAL_CALLERS}; ${QUICK_CALLERS} in quick runs; for ${LADDER_WORKS.join(' and ')} also 1 and 512)
  --rounds N           rounds (10)
  --growth             only the table of how cost grows with assets, keys and scopes
  --memory             only 200,000 requests against one process, its memory watched
  --responsiveness     only how long the portal's largest pages let somebody wait; needs Chromium and npm run build
  --record             only a client's pages of an access record of 1,000,000 and of 50,000,000 calls; 20 minutes, 15 GB
  --out FILE           writes the figures as JSON
  --keep-data DIR      keeps the data set there, and uses it the next time
  --install-directus   installs Directus first (700 MB, some minutes); without it the bench goes on without Directus
  --help               this text
`;

/** Throws an error with a message for the user. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      ...{ quick: { type: 'boolean' }, growth: { type: 'boolean' }, memory: { type: 'boolean' } },
      ...{ responsiveness: { type: 'boolean' }, record: { type: 'boolean' } },
      ...{ work: { type: 'string' }, contestants: { type: 'string' }, concurrency: { type: 'string' } },
      ...{ rounds: { type: 'string' }, out: { type: 'string' }, 'keep-data': { type: 'string' } },
      ...{ 'install-directus': { type: 'boolean' }, help: { type: 'boolean' } },
    },
  } as const);
  const quick = values.quick === true;
  const responsiveness = values.responsiveness === true;
  const record = values.record === true;
  const only = values.growth === true || values.memory === true || responsiveness || record;
  const narrowed = quick || values.work !== undefined || values.contestants !== undefined;
  const given = values.concurrency?.split(',').map((text) => wholeNumber('--concurrency', text));
  const works = values.work?.split(',') ?? (quick ? QUICK_WORKS : WORKS.map(({ name }) => name));
  const callers = quick ? QUICK_CALLERS : USUAL_CALLERS;
  const ladder = (work: Work) => (!quick && LADDER_WORKS.includes(work.name) ? LADDER : [callers]);
  return {
    help: values.help === true,
    table: !only,
    whole: !only && !narrowed,
    growth: values.growth === true || (!only && !narrowed),
    memory: values.memory === true || (!only && !narrowed),
    responsiveness,
    record,
    works: works.map(workNamed),
    contestants: contestantsOf(only ? PRODUCT : values.contestants, quick),
    concurrencies: given === undefined ? ladder : () => given,
    callers,
    // A retained data set must serve any later run.
    large: only || values['keep-data'] !== undefined || works.some((work) => LARGE_WORKS.includes(work)),
    pace: {
      rounds: wholeNumber('--rounds', values.rounds ?? '10'),
      // By requests, because a slow machine needs as many as a fast one until its code is fully compiled.
      ...(quick ? { sliceMs: 200, warmUpMs: 1_000 } : { sliceMs: 700, warmUpMs: 15_000, warmUpRequests: 20_000 }),
    },
    out: values.out,
    keepData: values['keep-data'],
    installDirectus: values['install-directus'] === true,
  };
}

function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`${option}: "${text}" is not a whole number`);
  return Number(text);
}

/** Always run: the floor is the basis of comparison, and the product's answers are the reference. */
const ALWAYS = ['floor', PRODUCT];

function contestantsOf(wanted: string | undefined, quick: boolean): readonly Contestant[] {
  if (wanted === undefined) return CONTESTANTS.filter(({ slow = false }) => !(quick && slow));
  const names = wanted.split(',');
  const unknown = names.find((name) => CONTESTANTS.every((contestant) => contestant.name !== name));
  if (unknown !== undefined) throw new Error(`no contestant is called "${unknown}"`);
  return CONTESTANTS.filter(({ name }) => names.includes(name) || ALWAYS.includes(name));
}
