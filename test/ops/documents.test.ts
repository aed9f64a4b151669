// Guarantee: documents name files of the repository that are there.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
/** Decisions keep what they were made of: a superseded one may name what is gone. */
const documents = [...globSync('*.md', { cwd: root }), ...globSync('{docs,bench,ops}/**/*.md', { cwd: root })].filter(
  (path) => !path.startsWith('docs/decisions/') && !path.includes('node_modules'),
);
/** A path with a folder and an ending, in backticks or as the target of a link; those with placeholders are none. */
const NAMED = /`([\w-]+(?:\/[\w.-]+)+\.[a-z]+)`/g;
/** Folders that a name may be relative to, the layers being named without `src`. */
const WITHIN = ['', 'src/'];
const OURS =
  /^(?:src|schema|rest-facade|portal|test|bench|docs|ops|core|database|auth|limits|versions|observability|repositories|gateway|http|process|cli|tools)\//;

it.each(documents)('%s', (document) => {
  const named = [...readFileSync(new URL(document, root), 'utf8').matchAll(NAMED)].map(([, path = '']) => path);
  const missing = named.filter(
    (path) => OURS.test(path) && !WITHIN.some((folder) => existsSync(new URL(folder + path, root))),
  );
  expect(missing).toEqual([]);
});

it('finds names to look at', () => {
  const count = documents.flatMap((path) => [...readFileSync(new URL(path, root), 'utf8').matchAll(NAMED)]).length;
  expect(count).toBeGreaterThan(50);
});
