// Test support: which alerts the metrics of a real gateway would fire if it went on for 40 minutes as it does now.
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
/** Longer than any window and any `for:` of the rules that a fault is to fire, together with the look at the end. */
const PHASE_MINUTES = 40;
const LOOK = '5m';
const SCRAPES = (PHASE_MINUTES * 60) / SCRAPE_SECONDS;
const LOOK_EVERY_MS = 250;
/** Of a gauge that is held to go on rising. */
const MIN_RISES = 3;
/** Steps of this part of a cycle come near every point of it, and never by the same way twice. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** One scrape: `performance.now()`, and its samples by series; null where nobody answered. */
export interface Scrape {
  at: number;
  samples: ReadonlyMap<string, Sample> | null;
}

interface Sample {
  value: number;
  /** Of a counter, or a part of a histogram. */
  counts: boolean;
}

/** Scrapes the gateway four times a second until `enough`. */
export async function watch(internalUrl: string, enough: () => boolean): Promise<Scrape[]> {
  const scrapes: Scrape[] = [];
  do {
    const text = await scrape(internalUrl).catch(() => null);
    scrapes.push({ at: performance.now(), samples: text === null ? null : samplesOf(text) });
    await sleep(LOOK_EVERY_MS);
  } while (!enough());
  return scrapes;
}

/** The samples of an exposition that the rules may ask for, by series. */
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
 * Names of the alerts that fire at the end of each phase, one phase after the other. A phase is what was seen of a gateway in
 * some seconds, going on for 40 minutes: counts go on growing as they did; an age goes on growing; of what goes up and down each
 * scrape sees another moment, as scrapes would that fall anywhere.
 */
export function alertsAfter(phases: readonly (readonly Scrape[])[]): string[][] {
  const names = new Set(phases.flatMap((phase) => phase.flatMap(({ samples }) => [...(samples?.keys() ?? [])])));
  const series = [...names].map((name) => {
    let total = 0;
    const values = phases.flatMap((phase) => {
      const seen = phase.map(({ at, samples }) => ({ at, sample: samples?.get(name), answered: samples !== null }));
      const slope = growthOf(seen);
      return goingOn(seen, (one, seconds) => {
        if (!one.answered) return 'stale';
        // A series that came later was not there to be seen, but what it counts began with it.
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
  const up = phases.flatMap((phase) => goingOn(phase, ({ samples }) => (samples === null ? '0' : '1')));
  series.push({ series: 'up{job="portico",instance="a"}', values: up.join(' ') });
  return firing(phases.length, series);
}

/** The samples that the rules of these alerts ask for, as they were seen in each phase. */
export function samplesBehind(alerts: readonly string[], phases: readonly (readonly Scrape[])[]): string {
  const rules: { alert: string; expr: string }[] = parse(RULES).groups.flatMap(
    ({ rules }: { rules: unknown }) => rules,
  );
  const lines = rules
    .filter(({ alert }) => alerts.includes(alert))
    .flatMap(({ alert, expr }) => {
      const asked = new Set(expr.match(/[a-zA-Z_:]\w*/g));
      const found = phases.flatMap((phase) => phase.flatMap(({ samples }) => [...(samples?.keys() ?? [])]));
      const series = [...new Set(found)].filter((one) => asked.has(one.slice(0, one.indexOf('{')))).sort();
      return [alert, ...series.flatMap((one) => [`  ${one}`, ...phases.map((phase) => `    ${runs(phase, one)}`)])];
    });
  return lines.join('\n');
}

/** The values of a series one after the other, each with how often it was seen in a row; of a count the first and the last. */
function runs(phase: readonly Scrape[], series: string): string {
  const rows: { text: string; count: number }[] = [];
  for (const { samples } of phase) {
    const text = samples === null ? 'no answer' : `${samples.get(series)?.value ?? 'absent'}`;
    const last = rows.at(-1);
    if (last?.text === text) last.count += 1;
    else rows.push({ text, count: 1 });
  }
  const told = rows.map(({ text, count }) => (count === 1 ? text : `${text} (${count} times)`));
  const counts = phase.some(({ samples }) => samples?.get(series)?.counts);
  return counts && told.length > 2 ? `${told[0]} … ${told.at(-1)}` : told.join(', ');
}

/** A value for each scrape of a phase, of one of its moments and the seconds since it began. */
function goingOn<Moment>(phase: readonly Moment[], of: (moment: Moment, seconds: number) => string): string[] {
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
 * How a series grew: a counter, or a gauge of seconds that only rose, and about as fast as time went by. Null for others: also for a
 * gauge that rose once or twice, as one does that the gateway looks at every few seconds, whatever it does in between.
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

/** promtool says what it found where it was told to expect nothing; of which phase that is, a label tells. */
function firing(phases: number, series: readonly object[]): string[][] {
  const directory = mkdtempSync(join(tmpdir(), 'portico-alerts-'));
  const file = join(directory, 'test.json');
  const fired = `max_over_time(ALERTS{alertstate="firing"}[${LOOK}])`;
  const looks = Array.from({ length: phases }, (_none, phase) => ({
    expr: `label_replace(count by (alertname) (${fired}), "phase", "${phase}", "", "")`,
    eval_time: `${(phase + 1) * PHASE_MINUTES * 60 - SCRAPE_SECONDS}s`,
    exp_samples: [],
  }));
  const test = { interval: `${SCRAPE_SECONDS}s`, input_series: series, promql_expr_test: looks };
  const rules = { rule_files: [ALERTS], evaluation_interval: `${SCRAPE_SECONDS}s`, tests: [test] };
  try {
    writeFileSync(file, JSON.stringify(rules));
    const { code, output } = promtool(['test', 'rules', file]);
    const found = [...output.matchAll(/alertname="(\w+)", phase="(\d+)"/g)];
    if ((code === 0) !== (found.length === 0)) throw new Error(output);
    return looks.map((_look, phase) => found.flatMap(([, name = '', of]) => (of === `${phase}` ? [name] : [])).sort());
  } finally {
    rmSync(directory, { recursive: true });
  }
}
