// Guarantee: a disclosure names the items of a response exactly, in about four bytes an item, and stored bits keep
// their meaning.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasNumber, INCLUDE_BITS, includesOf, packNumbers, unpackNumbers } from '#core/disclosure.ts';

it('the bits of included lists never change', () => {
  expect(Object.entries(INCLUDE_BITS)).toEqual([
    ['valuations', 1],
    ['documents', 2],
  ]);
  expect(includesOf(3)).toEqual(['valuations', 'documents']);
});

const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 45 }), { maxLength: 120 });

it('unpacking gives the packed numbers in ascending order, without duplicates', () => {
  fc.assert(
    fc.property(numbers, (list) => {
      expect(unpackNumbers(packNumbers([...list, ...list]))).toEqual(list.toSorted((one, other) => one - other));
    }),
  );
});

it('hasNumber finds the packed numbers and no others', () => {
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 300 }), (list, other) => {
      const packed = packNumbers(list);
      for (const number of list)
        for (const near of [number - 1, number, number + 1, number * 128, other])
          expect(hasNumber(packed, near)).toBe(list.includes(near));
    }),
  );
});

it('25 of up to 268 million items take at most 100 bytes, and adjacent ones about a byte each', () => {
  const most = 2 ** 28 - 1;
  const page = (max: number) => fc.uniqueArray(fc.integer({ min: 1, max }), { minLength: 25, maxLength: 25 });
  fc.assert(fc.property(page(most), (list) => packNumbers(list).length <= 100));
  fc.assert(fc.property(page(10 * most), (list) => packNumbers(list).length <= 110));
  const apart = Array.from({ length: 25 }, (_, nth) => (nth + 1) * 2 ** 22);
  expect(packNumbers(apart)).toHaveLength(100);
  expect(packNumbers(Array.from({ length: 25 }, (_, nth) => most - nth)).length).toBeLessThan(30);
});
