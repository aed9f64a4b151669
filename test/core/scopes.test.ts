// Guarantee: the scopes stored with keys and grants never change their meaning.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ALL_SCOPES, SCOPE_BITS, SCOPE_NAMES, SCOPE_PLAIN_WORDS, SCOPES, scopeSet, scopesOf } from '#core/scopes.ts';

it('a scope keeps its bit, so this list only grows', () => {
  expect(Object.entries(SCOPE_BITS)).toEqual([
    ['registry', 1],
    ['valuation', 2],
    ['detail', 4],
    ['category_detail', 8],
    ['documentation', 16],
    ['estate', 32],
    ['verification', 64],
  ]);
});

it('every scope has one bit of its own, without a gap', () => {
  expect(Object.values(SCOPE_BITS)).toEqual(SCOPES.map((_scope, index) => 2 ** index));
});

it('every set of scopes survives conversion to names and back', () => {
  for (let set = 0; set <= ALL_SCOPES; set++) expect(scopeSet(scopesOf(set))).toBe(set);
  expect(scopesOf(ALL_SCOPES)).toEqual(SCOPES);
});

it('docs/words.md lists every scope with the names that clients and firms read', () => {
  const text = readFileSync(new URL('../../docs/words.md', import.meta.url), 'utf8');
  const [, section = ''] = /\n## Scopes\n([\s\S]*?)\n## /.exec(text) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);
  expect(rows).toEqual(
    SCOPES.map((scope) => `| \`${scope}\` | ${capital(SCOPE_PLAIN_WORDS[scope])} | ${SCOPE_NAMES[scope]} |`),
  );
});
