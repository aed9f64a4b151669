// Guarantee: formatting JSON for display changes only the white space between its tokens.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonLines } from '../../portal/src/pages/client/preview/json-lines.ts';

const written = (text: string): string =>
  jsonLines(text)
    .flatMap(({ tokens }) => tokens)
    .map(({ kind, text: token }) => (kind === 'sign' ? token.trim() : token))
    .join('');

it('every JSON text is preserved', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      expect(written(text)).toBe(text);
    }),
  );
});

it('numbers and strings stay as they were written', () => {
  const text = '{"amount":"12500.00","quantity":1.50,"large":9007199254740993,"odd":"a \\"b\\": [{,\\u00e9"}';
  expect(written(text)).toBe(text);
});

it('lines are indented by their depth', () => {
  const text = '{"data":[{"id":1,"none":[]},{}],"x":null}';
  const lines = jsonLines(text).map(
    ({ depth, tokens }) => `${' '.repeat(depth)}${tokens.map((token) => token.text).join('')}`,
  );
  expect(lines).toEqual([
    '{',
    ' "data": [',
    '  {',
    '   "id": 1,',
    '   "none": []',
    '  },',
    '  {}',
    ' ],',
    ' "x": null',
    '}',
  ]);
});

it('text that is not JSON is a single token', () => {
  expect(jsonLines('not <JSON>')).toEqual([{ depth: 0, tokens: [{ kind: 'text', text: 'not <JSON>' }] }]);
});
