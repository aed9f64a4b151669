// The order of test files over all projects: the long ones first, so that no worker is left with one at the end.

import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

export class LongestFirst extends BaseSequencer {
  /** Within a project by the durations of the last run, or by size where there was none. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // What a fresh clone knows about durations: files of `fast` are the short ones.
    const [short, long] = [sorted.filter(isShort), sorted.filter((file) => !isShort(file))];
    return [...spread(long), ...short];
  }
}

const isShort = ({ project }: TestSpecification): boolean => project.name === 'fast';

/** Each project's files evenly over the whole: those of `faults` mostly wait, while those of `browser` compute. */
function spread(files: TestSpecification[]): TestSpecification[] {
  const projects = Map.groupBy(files, ({ project }) => project.name);
  const placed = [...projects.values()].flatMap((own) => own.map((file, index) => ({ file, at: index / own.length })));
  return placed.sort((a, b) => a.at - b.at).map(({ file }) => file);
}
