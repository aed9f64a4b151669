// Guarantee: making JSON readable changes nothing in it but white space between its parts.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonLines } from '../../portal/src/pages/client/preview/json-lines.ts';

const written = (text: string): string =>
  jsonLines(text)
    .flatMap(({ tokens }) => tokens)
    .map(({ kind, text: token }) => (kind === 'sign' ? token.trim() : token))
    .join('');

it('every JSON text comes back whole', () => {
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

it('lines are as deep as what holds them', () => {
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

it('what is no JSON is one piece', () => {
  expect(jsonLines('not <JSON>')).toEqual([{ depth: 0, tokens: [{ kind: 'text', text: 'not <JSON>' }] }]);
});
