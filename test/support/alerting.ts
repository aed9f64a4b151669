// Test support: which alerts real metrics would fire, by promtool: a phase between two scrapes, drawn out to minutes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promtool } from './promtool.ts';

const ALERTS = fileURLToPath(new URL('../../ops/prometheus/alerts.yml', import.meta.url));
const SCRAPE_SECONDS = 15;

/** What a gateway exposed early and late in a phase, whose counts go on growing as they did between the two. */
export interface Phase {
  early: string;
  late: string;
  minutes: number;
}

/** The samples of an exposition by series. */
function samplesOf(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const [, name = '', labels = '{}', value] of text.matchAll(/^([a-zA-Z_:]\w*)(\{.*\})? (\S+)$/gm))
    samples.set(
      `${name}${labels === '{}' ? '{' : `${labels.slice(0, -1)},`}job="portico",instance="a"}`,
      Number(value),
    );
  return samples;
}

/** Names of the alerts that fire at the end of each phase, one phase after the other. */
export function alertsAfter(phases: readonly Phase[]): string[][] {
  const rules = readFileSync(ALERTS, 'utf8');
  const steps = phases.map(({ minutes }) => (minutes * 60) / SCRAPE_SECONDS);
  const scrapes = phases.map(({ early, late }) => [samplesOf(early), samplesOf(late)] as const);
  const series = [...new Set(scrapes.flatMap(([early, late]) => [...early.keys(), ...late.keys()]))]
    .filter((name) => rules.includes(name.slice(0, name.indexOf('{'))))
    .map((name) => {
      let grown = 0;
      const values = scrapes.flatMap(([early, late], phase) => {
        const [first, last] = [early.get(name) ?? late.get(name) ?? 0, late.get(name) ?? 0];
        const isCount = /(?:_total|_bucket|_count|_sum)\{/.test(name);
        const growth = isCount ? last - first : 0;
        return Array.from({ length: steps[phase] ?? 0 }, () => {
          grown += growth;
          return isCount ? grown : last;
        });
      });
      return { series: name, values: values.join(' ') };
    });
  const length = steps.reduce((sum, count) => sum + count, 0);
  series.push({ series: 'up{job="portico",instance="a"}', values: `1x${length}` });
  let seconds = -SCRAPE_SECONDS;
  return phases.map(({ minutes }) => {
    seconds += minutes * 60;
    return firing(seconds, series);
  });
}

/** promtool says what it found where it was told to expect nothing. */
function firing(seconds: number, series: readonly object[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'portico-alerts-'));
  const file = join(directory, 'test.json');
  const nothing = { expr: 'ALERTS{alertstate="firing"}', eval_time: `${seconds}s`, exp_samples: [] };
  const test = { interval: `${SCRAPE_SECONDS}s`, input_series: series, promql_expr_test: [nothing] };
  const rules = { rule_files: [ALERTS], evaluation_interval: `${SCRAPE_SECONDS}s`, tests: [test] };
  try {
    writeFileSync(file, JSON.stringify(rules));
    const { code, output } = promtool(['test', 'rules', file]);
    const found = [...output.matchAll(/alertname="(\w+)"/g)].map(([, name = '']) => name);
    if ((code === 0) !== (found.length === 0)) throw new Error(output);
    return [...new Set(found)].sort();
  } finally {
    rmSync(directory, { recursive: true });
  }
}
