// CHANGELOG.md describes the changes of each version in the words of the version's own file.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { VERSIONS } from '#versions/index.ts';

const oneLine = (text: string) => text.replace(/\s+/g, ' ');

const sections = new Map(
  readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
    .split(/^## /m)
    .map((section) => [section.slice(0, section.indexOf('\n')), oneLine(section)]),
);

it.each(VERSIONS.map(({ date, changes }) => ({ date, changes })))(
  'CHANGELOG.md describes the changes of $date',
  ({ date, changes }) => {
    expect([...sections.keys()], `CHANGELOG.md has no heading "## ${date}"`).toContain(date);
    for (const { description } of changes) expect(sections.get(date)).toContain(oneLine(description));
  },
);
