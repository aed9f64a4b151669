import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Packing } from '#database/packed.ts';

it('gives back whatever JSON it was given, however many packings went before', () => {
  const packing = new Packing();
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(packing.unpack(packing.pack(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('keeps the order of members, and members with the names of objects’ own', () => {
  const packing = new Packing();
  const text = '{"b":1,"a":[{"__proto__":{"x":1}},{"constructor":null}],"1":[]}';
  expect(JSON.stringify(packing.unpack(packing.pack(JSON.parse(text))))).toBe(JSON.stringify(JSON.parse(text)));
});

it('takes objects of more shapes than it learns', () => {
  const packing = new Packing();
  const values = Array.from({ length: 1_100 }, (_, at) => ({ [`name${at}`]: at, inner: [{ [`inner${at}`]: null }] }));
  for (const value of [...values, ...values]) expect(packing.unpack(packing.pack(value))).toEqual(value);
});

it('does without the names of members', () => {
  const rows = Array.from({ length: 50 }, (_, at) => ({
    registry_id: `PTC-${at}`,
    storage_location: null,
    quantity: at,
  }));
  expect(new Packing().pack(rows).length).toBeLessThan(JSON.stringify(rows).length / 2);
});
