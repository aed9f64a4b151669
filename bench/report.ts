// Bench: the tables of the report.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { findBinary } from '../test/support/binaries.ts';
import type { Measured } from './measure.ts';
import type { Options } from './options.ts';
import type { Result } from './results.ts';

export function markdownTable(head: string[], rows: (string | number)[][], leftColumns = 1): string {
  const rule = head.map((_, column) => (column < leftColumns ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const ratio = ({ ratioToFloor: { median, q1, q3 } }: Result): string =>
  Number.isNaN(median) ? '' : `**${median.toFixed(2)}** (${q1.toFixed(2)}–${q3.toFixed(2)})`;

/** The meaning of the rows' names. */
export function legend({ works, contestants, pace }: Options): string {
  return [
    `${pace.rounds} rounds of slices of ${pace.sliceMs} ms.\n`,
    ...contestants.map(({ name, what, absent }) => {
      const reason = absent?.() ?? null;
      return `- **${name}**: ${what}${reason === null ? '' : `; ${reason}`}`;
    }),
    '',
    ...works.map(({ name, what }) => `- *${name}*: ${what}`),
  ].join('\n');
}

export function resultsTable(results: readonly Result[]): string {
  const head = ['work', 'contestant', 'callers', 'requests/s', 'p50 ms', 'p99 ms'];
  return markdownTable(
    [...head, 'CPU s/1,000', 'PostgreSQL CPU s/1,000', 'MB', 'CPU, floor ÷ this (quartiles)'],
    results.map((result) => [
      ...[result.work, result.contestant, result.concurrency, result.requestsPerSecond.toFixed(0)],
      ...[result.p50.toFixed(2), result.p99.toFixed(2), result.cpuSecondsPer1000.toFixed(3)],
      ...[result.postgresCpuSecondsPer1000.toFixed(3), result.rssMb, ratio(result)],
    ]),
    2,
  );
}

/** CPU of the load generator, and load of the core that it shares: shows whether it was the bottleneck. */
export function generatorNote(measured: Measured[]): string {
  const slices = measured.flatMap(({ slices }) => slices);
  const generator = slices.reduce((sum, slice) => sum + slice.generator * slice.requests, 0);
  const requests = slices.reduce((sum, slice) => sum + slice.requests, 0);
  const isFull = ({ slices }: Measured) =>
    slices.filter(({ serversBusy }) => serversBusy > 0.9).length > slices.length / 2;
  const nameOf = ({ cell }: Measured) => `${cell.work.name} of ${cell.running.contestant.name} at ${cell.concurrency}`;
  // The floor is in each heat.
  const full = [...new Set(measured.filter(isFull).map(nameOf))];
  const text = `The load generator took ${((1000 * generator) / requests).toFixed(3)} ms of CPU a request.`;
  if (full.length === 0) return `${text} The core it shares with PostgreSQL and Redis was nowhere full.`;
  return `${text} The core it shares with PostgreSQL and Redis was full, and requests/s therefore bounded by it, in: ${full.join('; ')}.`;
}

export function commitOf(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, {
        encoding: 'utf8',
        cwd: import.meta.dirname,
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    // The results do not count as a change: a run writes them section by section.
    const changes = git('status', '--porcelain', '--', ':/', ':(top,exclude)bench/RESULTS.md');
    return git('rev-parse', '--short=12', 'HEAD') + (changes === '' ? '' : ' with changes');
  } catch {
    return 'unknown';
  }
}

/** Cores and versions; nothing that identifies the machine. */
export function machine(): string {
  const [, model = 'unknown processor'] = /^model name\s*: (.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8')) ?? [];
  const version = (program: string) => {
    const text = execFileSync(findBinary(program) ?? program, ['--version'], { encoding: 'utf8' });
    return /\d+(\.\d+)+/.exec(text)?.[0] ?? text.trim();
  };
  return [
    `${cpus().length} cores, ${model.replaceAll(/\((?:R|TM)\)/g, '')}`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${version('postgres')}`,
    `Redis ${version('redis-server')}`,
  ].join('; ');
}
