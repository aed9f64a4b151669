// The lengths of texts in the portal's forms and in the schema's sentences are those that the repositories check.
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;

it.each([
  ['portal/src/pages/**/*.tsx', /maxLength=\{[^A-Z]/],
  ['schema/types/**/*.ts', /(?:up to|\d to) [\d_,]+ characters/i],
])('%s takes them from core', (files, literal) => {
  const written = globSync(files, { cwd: root }).flatMap((file) =>
    readFileSync(`${root}${file}`, 'utf8')
      .split('\n')
      .filter((line) => literal.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(written).toEqual([]);
});
