// Ends the test run with one line that scripts can read: `N passed, N failed`, and `, N skipped` if any.

import { writeSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

export default class SummaryReporter implements Reporter {
  #line = '0 passed, 1 failed'; // until a run ends

  // On exit, because other reporters and the teardown of services still print after the run.
  onInit(): void {
    process.once('exit', () => writeSync(1, `${this.#line}\n`));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      const before = count.failed;
      for (const test of module.children.allTests()) count[test.result().state]++;
      // A file that fails to load, or whose hooks fail, counts as a failure even without a failed test.
      if (!module.ok() && count.failed === before) count.failed++;
    }
    // Nothing ran: the set-up failed, or no file matched.
    if (modules.length === 0 && count.failed === 0) count.failed = 1;
    const skipped = count.skipped + count.pending;
    this.#line = `${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  }
}
