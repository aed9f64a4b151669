// Prints the table of `npm run chaos`: a row for each fault that a test put its requests through.

import { writeSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import type { Tally } from './tally.ts';

const HEAD = [
  'fault',
  'sent',
  'served',
  'refused properly',
  'unanswered',
  'wrong',
  'longest outage',
  'records missing',
];

export default class ChaosReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows: Tally[] = [];
    for (const module of modules)
      for (const test of module.children.allTests()) rows.push(...(test.meta().chaos ?? []));
    if (rows.length === 0) return;
    const lines = [HEAD, HEAD.map(() => '---'), ...rows.map(cellsOf)].map((cells) => `| ${cells.join(' | ')} |\n`);
    writeSync(1, `\n${lines.join('')}\n`);
  }
}

function cellsOf(row: Tally): string[] {
  const counts = [row.sent, row.served, row.refused, row.unanswered, row.wrong].map((count) =>
    count.toLocaleString('en-GB'),
  );
  return [row.fault, ...counts, `${row.outage.toFixed(1)} s`, `${row.missing}`];
}
