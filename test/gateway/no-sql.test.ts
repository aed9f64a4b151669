// Guarantee: statements are in the repositories, so that the gateway's rules can be read without them.
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('no file of the gateway contains a statement', () => {
  const files = globSync('src/gateway/**/*.ts');
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => readFileSync(file, 'utf8').includes('.query({'))).toEqual([]);
});
