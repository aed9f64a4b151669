// The parser of lists caches its results: the newest, and each only for readers who do not change it.
import { expect, it } from 'vitest';
import { parserOf } from '#database/wire-types.ts';

const parse = parserOf(1009) as (text: string) => readonly string[];

it('a list is forgotten after many others', () => {
  const first = parse('{first}');
  for (let number = 0; number < 5_000; number++) parse(`{other,"${number}"}`);
  expect(parse('{first}')).not.toBe(first);
  expect(parse('{first}')).toEqual(['first']);
});

it('a list that is read again is the same object, however many others were read before', () => {
  for (let number = 0; number < 5_000; number++) expect(parse(`{one,"${number}"}`)).toEqual(['one', `${number}`]);
  const list = parse('{invoice,photo}');
  expect(parse('{invoice,photo}')).toBe(list);
  expect(Object.isFrozen(list)).toBe(true);
});
