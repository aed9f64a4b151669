// The order of test files over all projects: one project after the other.

import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** What takes longest comes first, and what is short last, so that no worker is left with a long file at the end. */
const ORDER = ['faults', 'browser', 'long', 'fast'];

export class ProjectByProject extends BaseSequencer {
  /**
   * A process that many files share is ended where the next file in the queue is another project's: with the projects mixed
   * sixty of them, and their browsers, were started for a run, where a dozen do. Within a project files are sorted by the
   * durations of the last run, or by size where there was none.
   */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => ORDER.indexOf(a.project.name) - ORDER.indexOf(b.project.name));
  }
}
