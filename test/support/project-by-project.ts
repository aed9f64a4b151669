// The order of test files over all projects: one project after the other.

import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** Long files first and short ones last, so that no worker runs a long file alone at the end. */
const ORDER = ['faults', 'browser', 'long', 'fast'];

/** Files that wait for half a minute and more, which their size does not show; the longest first. */
const WAITING = [
  'test/limits/redis-faults.test.ts',
  'test/limits/real-time.test.ts',
  'test/faults/stopping-unanswered.test.ts',
  'test/faults/slow-requests.test.ts',
  'ops/rehearsals/rolling-restart.test.ts',
];

export class ProjectByProject extends BaseSequencer {
  /**
   * A process is shared by consecutive files of one project. With mixed projects a run would start sixty processes,
   * with their browsers, instead of a dozen. Within a project, files that wait come first, while others use the cores.
   * The rest is sorted by duration in the last run, or by size.
   */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (a, b) => ORDER.indexOf(a.project.name) - ORDER.indexOf(b.project.name) || placeOf(a) - placeOf(b),
    );
  }
}

/** Among the files of its project. */
function placeOf({ moduleId }: TestSpecification): number {
  const waiting = WAITING.findIndex((name) => moduleId.endsWith(name));
  return waiting === -1 ? WAITING.length : waiting;
}
