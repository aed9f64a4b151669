// Hostile texts, and their forms in headers, paths, queries and bodies.

import fc from 'fast-check';

/** One of the kinds, chosen by weight. */
export const mix = <Value>(...kinds: [weight: number, arbitrary: fc.Arbitrary<Value>][]): fc.Arbitrary<Value> =>
  fc.oneof(...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const words = (text: string): string[] => text.split(' ');

const TEXTS = [
  ...['', ' ', '\0', 'a\0b', '\ud800', '\udc00x', '\uffff', '\u202e', '\n\r', '../..', '%', '%00', '%zz', '{{7*7}}'],
  ...["' or 1=1 --", "'; drop table items; --", '$1', '{"type":"all"}', '[]', '{"$ne":null}', 'null', 'true', 'NaN'],
  ...words('0 -0 -1 01 1e3 1.0 1. .5 ٣ １２ Infinity 0x10 2147483648 9223372036854775808 99999999999999999999'),
  ...['9'.repeat(400), `0.${'0'.repeat(40)}1`, '1'.repeat(20), `${'1'.repeat(20)}.${'1'.repeat(20)}`],
  ...words('2026-02-30T00:00:00Z 2026-01-01 0000-01-01T00:00:00Z 9999-12-31T23:59:59.999999999Z 10000-01-01T00:00:00Z'),
  ...words('0001-01-01T00:00:00+23:59 2026-01-01T24:00:00Z 2026-01-01T00:00:60Z 2026-01-01t00:00:00z -infinity'),
  ...words('WT wt WT,AR WT,,AR , WT,WT valuations,documents appraisal constructor __proto__ toString'),
  ...['a'.repeat(3_000), 'é'.repeat(500), '😀'.repeat(200), '\u0301'.repeat(50)],
];

export const hostileText = mix(
  [6, fc.constantFrom(...TEXTS)],
  [2, fc.string({ unit: 'binary', maxLength: 40 })],
  [1, fc.string({ unit: 'grapheme', maxLength: 40 })],
  [1, fc.json({ maxDepth: 3 })],
);

/** With only the characters that a header can contain. */
export const headerText = hostileText.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?'));

/** A part of a path or a query: encoded, unencoded, or wrongly encoded. */
export const wireText = mix(
  [8, hostileText.map(percentEncode)],
  [1, hostileText.map((text) => text.replace(/[^\x21-\x7e]|#/g, '?'))],
  [1, fc.constantFrom('%', '%4', '%ff', '%c0%80', '%ED%A0%80', '+', '%2B', '%25', '%2500')],
);

/** One segment of a path. */
export const wireSegment = wireText.map((text) => text.replaceAll('/', '%2F'));

/** Encodes any string; lone surrogates become bytes that UTF-8 forbids. */
export function percentEncode(text: string): string {
  return [...text].map((character) => (/[A-Za-z0-9_.~-]/.test(character) ? character : encoded(character))).join('');
}

function encoded(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const lone = code >= 0xd800 && code <= 0xdfff;
  const bytes = lone
    ? [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]
    : [...Buffer.from(character)];
  return bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

export const hostileBody: fc.Arbitrary<Buffer> = mix(
  [3, fc.json({ maxDepth: 6 }).map((text) => Buffer.from(text))],
  [1, fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))],
  [1, hostileText.map((text) => Buffer.from(text))],
  [1, fc.integer({ min: 1, max: 60_000 }).map((depth) => Buffer.from('['.repeat(depth)))],
);
