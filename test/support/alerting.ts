// Test support: the alerts that the metrics of a gateway would fire if it went on for 40 minutes as in a few seconds.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { scrape } from './metrics.ts';
import { promtool } from './promtool.ts';

const ALERTS = fileURLToPath(new URL('../../ops/prometheus/alerts.yml', import.meta.url));
const RULES = readFileSync(ALERTS, 'utf8');
const PROMETHEUS = readFileSync(new URL('../../ops/prometheus/prometheus.yml', import.meta.url), 'utf8');
const SCRAPE_SECONDS = Number.parseInt(parse(PROMETHEUS).global.scrape_interval, 10);
/** Longer than the windows and `for:` of all rules that faults fire, plus EVALUATED at the end. */
const PHASE_MINUTES = 40;
const EVALUATED = '5m';
const SCRAPES = (PHASE_MINUTES * 60) / SCRAPE_SECONDS;
const INTERVAL_MS = 250;
/** On a busy machine one takes seconds. */
const MIN_SCRAPES = 10;
/** A gauge that rose at least so often is expected to go on rising. */
const MIN_RISES = 3;
/** Steps of this fraction of a cycle distribute evenly over it and never repeat a point. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** One scrape: `performance.now()`, and its samples by series; null if there was no response. */
export interface Scrape {
  at: number;
  samples: ReadonlyMap<string, Sample> | null;
}

interface Sample {
  value: number;
  /** Whether it is of a counter or a histogram. */
  counts: boolean;
}

/** Scrapes the gateway at most four times a second, at least ten times and until `enough`. */
export async function watch(internalUrl: string, enough: () => boolean): Promise<Scrape[]> {
  const scrapes: Scrape[] = [];
  do {
    const text = await scrape(internalUrl).catch(() => null);
    scrapes.push({ at: performance.now(), samples: text === null ? null : samplesOf(text) });
    await sleep(INTERVAL_MS);
  } while (scrapes.length < MIN_SCRAPES || !enough());
  return scrapes;
}

/** The samples of an exposition that the rules may read, by series. */
export function samplesOf(text: string): Map<string, Sample> {
  const samples = new Map<string, Sample>();
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => [name, type]));
  for (const [, name = '', labels = '', value] of text.matchAll(/^([a-zA-Z_:]\w*)(?:\{(.*)\})? (\S+)$/gm)) {
    if (!RULES.includes(name)) continue;
    const type = types.get(name) ?? types.get(name.replace(/_(?:bucket|sum|count)$/, ''));
    const counts = type === 'counter' || type === 'histogram';
    samples.set(`${name}{${labels && `${labels},`}job="portico",instance="a"}`, { value: Number(value), counts });
  }
  return samples;
}

/**
 * Names of the alerts that fire at the end of each phase. A phase is a few seconds of scrapes, extended to 40 minutes:
 * counters and ages go on growing at the same rate; of other gauges, each extended scrape takes the value of another
 * moment.
 */
export function alertsAfter(phases: readonly (readonly Scrape[])[]): string[][] {
  const names = new Set(phases.flatMap((phase) => phase.flatMap(({ samples }) => [...(samples?.keys() ?? [])])));
  const series = [...names].map((name) => {
    let total = 0;
    const values = phases.flatMap((phase) => {
      const seen = phase.map(({ at, samples }) => ({ at, sample: samples?.get(name), answered: samples !== null }));
      const slope = growthOf(seen);
      return extended(seen, (one, seconds) => {
        if (!one.answered) return 'stale';
        // A counter that appeared later starts at zero; another series is absent until it appears.
        if (one.sample === undefined && slope === null) return 'stale';
        if (slope === null) return `${one.sample?.value}`;
        if (slope.counts) {
          total += slope.perSecond * SCRAPE_SECONDS;
          return `${total}`;
        }
        return `${slope.from + slope.perSecond * seconds}`;
      });
    });
    return { series: name, values: values.join(' ') };
  });
  const up = phases.flatMap((phase) => extended(phase, ({ samples }) => (samples === null ? '0' : '1')));
  series.push({ series: 'up{job="portico",instance="a"}', values: up.join(' ') });
  return firing(phases.length, series);
}

/** The samples that the rules of these alerts read, in each phase. */
export function samplesBehind(alerts: readonly string[], phases: readonly (readonly Scrape[])[]): string {
  const rules: { alert: string; expr: string }[] = parse(RULES).groups.flatMap(
    ({ rules }: { rules: unknown }) => rules,
  );
  const lines = rules
    .filter(({ alert }) => alerts.includes(alert))
    .flatMap(({ alert, expr }) => {
      const read = new Set(expr.match(/[a-zA-Z_:]\w*/g));
      const found = phases.flatMap((phase) => phase.flatMap(({ samples }) => [...(samples?.keys() ?? [])]));
      const series = [...new Set(found)].filter((one) => read.has(one.slice(0, one.indexOf('{')))).sort();
      return [alert, ...series.flatMap((one) => [`  ${one}`, ...phases.map((phase) => `    ${runs(phase, one)}`)])];
    });
  return lines.join('\n');
}

/** The values of a series in order, repeated ones with their number; of a counter, the first and the last. */
function runs(phase: readonly Scrape[], series: string): string {
  const rows: { text: string; count: number }[] = [];
  for (const { samples } of phase) {
    const text = samples === null ? 'no answer' : `${samples.get(series)?.value ?? 'absent'}`;
    const last = rows.at(-1);
    if (last?.text === text) last.count += 1;
    else rows.push({ text, count: 1 });
  }
  const texts = rows.map(({ text, count }) => (count === 1 ? text : `${text} (${count} times)`));
  const counts = phase.some(({ samples }) => samples?.get(series)?.counts);
  return counts && texts.length > 2 ? `${texts[0]} … ${texts.at(-1)}` : texts.join(', ');
}

/** The values of the extended phase: `of` gets one of its moments and the seconds since its beginning. */
function extended<Moment>(phase: readonly Moment[], of: (moment: Moment, seconds: number) => string): string[] {
  return Array.from({ length: SCRAPES }, (_none, scraped) => {
    const moment = phase[Math.floor(((scraped * GOLDEN) % 1) * phase.length)];
    if (moment === undefined) throw new Error('nothing was seen of this phase');
    return of(moment, scraped * SCRAPE_SECONDS);
  });
}

interface Growth {
  counts: boolean;
  from: number;
  perSecond: number;
}

/**
 * The growth of a counter, or of a gauge of seconds that only rose, about as fast as time passed. Null for others, also
 * for a gauge that rose once or twice: the gateway measures some gauges only every few seconds.
 */
function growthOf(seen: readonly { at: number; sample: Sample | undefined; answered: boolean }[]): Growth | null {
  const answered = seen.filter((one) => one.answered);
  const [first, last] = [answered[0], answered.at(-1)];
  if (first === undefined || last?.sample === undefined || last.at === first.at) return null;
  const rise = last.sample.value - (first.sample?.value ?? 0);
  const perSecond = rise / ((last.at - first.at) / 1_000);
  const growth = { counts: last.sample.counts, from: last.sample.value, perSecond };
  if (growth.counts) return growth;
  const values = answered.map(({ sample }) => sample?.value ?? Number.NaN);
  const steps = values.slice(1).map((value, at) => value - (values[at] ?? Number.NaN));
  const rose = steps.every((step) => step >= 0) && steps.filter((step) => step > 0).length >= MIN_RISES;
  return rose && perSecond > 0.4 && perSecond < 2 ? growth : null;
}

/** promtool prints the samples that a test did not expect; the label `phase` says where they belong. */
function firing(phases: number, series: readonly object[]): string[][] {
  const directory = mkdtempSync(join(tmpdir(), 'portico-alerts-'));
  const file = join(directory, 'test.json');
  const fired = `max_over_time(ALERTS{alertstate="firing"}[${EVALUATED}])`;
  const tests = Array.from({ length: phases }, (_none, phase) => ({
    expr: `label_replace(count by (alertname) (${fired}), "phase", "${phase}", "", "")`,
    eval_time: `${(phase + 1) * PHASE_MINUTES * 60 - SCRAPE_SECONDS}s`,
    exp_samples: [],
  }));
  const test = { interval: `${SCRAPE_SECONDS}s`, input_series: series, promql_expr_test: tests };
  const rules = { rule_files: [ALERTS], evaluation_interval: `${SCRAPE_SECONDS}s`, tests: [test] };
  try {
    writeFileSync(file, JSON.stringify(rules));
    const { code, output } = promtool(['test', 'rules', file]);
    const found = [...output.matchAll(/alertname="(\w+)", phase="(\d+)"/g)];
    if ((code === 0) !== (found.length === 0)) throw new Error(output);
    return tests.map((_test, phase) => found.flatMap(([, name = '', of]) => (of === `${phase}` ? [name] : [])).sort());
  } finally {
    rmSync(directory, { recursive: true });
  }
}
