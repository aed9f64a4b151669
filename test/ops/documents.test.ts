// Guarantee: documents name files of the repository that are there.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
/** Decisions keep what they were made of: a superseded one may name what is gone. */
const documents = globSync(['*.md', '{docs,bench,ops}/**/*.md'], {
  cwd: root,
  exclude: ['docs/decisions', '**/node_modules'],
});
/** A path with a folder and an ending, in backticks; those with placeholders are none. */
const NAMED = /`([\w-]+(?:\/[\w.-]+)+\.[a-z]+)`/g;
/** Folders that a name may be relative to, the layers being named without `src`. */
const WITHIN = ['', 'src/'];
const isThere = (path: string) => WITHIN.some((folder) => existsSync(new URL(folder + path, root)));
/** Others are examples. */
const beginsWithOurs = (path: string) => isThere(path.slice(0, path.indexOf('/')));

it.each(documents)('%s', (document) => {
  const named = [...readFileSync(new URL(document, root), 'utf8').matchAll(NAMED)].map(([, path = '']) => path);
  expect(named.filter((path) => beginsWithOurs(path) && !isThere(path))).toEqual([]);
});

it('finds names to look at', () => {
  const count = documents.flatMap((path) => [...readFileSync(new URL(path, root), 'utf8').matchAll(NAMED)]).length;
  expect(count).toBeGreaterThan(50);
});
