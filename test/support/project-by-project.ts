// The order of test files over all projects: one project after the other.

import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** Long files first and short ones last, so that no worker runs a long file alone at the end. */
const ORDER = ['faults', 'browser', 'long', 'fast'];

export class ProjectByProject extends BaseSequencer {
  /**
   * A process is shared by consecutive files of one project. With mixed projects a run would start sixty processes,
   * with their browsers, instead of a dozen. Within a project, files are sorted by their duration in the last run, or
   * by size.
   */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => ORDER.indexOf(a.project.name) - ORDER.indexOf(b.project.name));
  }
}
