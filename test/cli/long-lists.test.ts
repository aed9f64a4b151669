// A list is printed however long it is: a large deployment has hundreds of thousands of grants.
import { expect, it } from 'vitest';
import { table } from '#src/cli/table.ts';

it('a table of 300,000 rows is aligned', () => {
  const rows = Array.from({ length: 300_000 }, (_, at) => [at, at === 7 ? 'longest' : null]);
  const lines = table(['NUMBER', 'NAME', 'LAST'], rows, 'none').split('\n');
  expect(lines).toHaveLength(300_001);
  expect([lines[0], lines[8], lines.at(-1)]).toEqual(['NUMBER  NAME     LAST', '7       longest', '299999  -']);
});
