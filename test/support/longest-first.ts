// The order of test files over all projects: the long ones first, so that no worker is left with one at the end.

import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** What a fresh clone knows about durations: files of `fast` are the short ones. */
const ORDER = ['faults', 'browser', 'fast'];

export class LongestFirst extends BaseSequencer {
  /** Within a project by the durations of the last run, or by size where there was none. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => ORDER.indexOf(a.project.name) - ORDER.indexOf(b.project.name));
  }
}
