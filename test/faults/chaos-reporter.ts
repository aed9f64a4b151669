// Prints the table of `npm run chaos`, with a row for each fault that was tested.

import { writeSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import { inChaos } from './in-chaos.ts';
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
/** For faults only: steps of a rehearsal do not last. */
const ALERTS = 'alerts while it lasts';

export default class ChaosReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows: Tally[] = [];
    const alerts: Record<string, readonly string[]> = {};
    for (const module of modules)
      for (const test of module.children.allTests()) {
        rows.push(...(test.meta().chaos ?? []));
        Object.assign(alerts, test.meta().alerts);
      }
    if (rows.length === 0) return;
    const head = inChaos ? [...HEAD, ALERTS] : HEAD;
    const cells = [head, head.map(() => '---'), ...rows.map((row) => cellsOf(row, alerts[row.fault]))];
    writeSync(1, `\n${cells.map((of) => `| ${of.join(' | ')} |\n`).join('')}\n`);
    for (const { fault } of rows)
      if (inChaos && alerts[fault] === undefined) {
        writeSync(1, `no alerts are declared for "${fault}": call expectAlerts, with an empty list if none fire\n`);
        process.exitCode = 1;
      }
  }
}

function cellsOf(row: Tally, alerts: readonly string[] | undefined): string[] {
  const counts = [row.sent, row.served, row.refused, row.unanswered, row.wrong].map((count) =>
    count.toLocaleString('en-GB'),
  );
  const cells = [row.fault, ...counts, `${row.outage.toFixed(1)} s`, `${row.missing}`];
  if (!inChaos) return cells;
  if (alerts === undefined) return [...cells, '?'];
  return [...cells, alerts.map((name) => `\`${name}\``).join(', ') || 'none'];
}
