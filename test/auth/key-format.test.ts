// The format of keys and tokens: only texts with the right prefix and checksum are recognised.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashSecret, makeKeySecret, makeToken, readKeySecret, readToken } from '#auth/key-format.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('keys', () => {
  it.each([
    ['sandbox', /^sk_test_[0-9A-Za-z]{38}$/],
    ['production', /^sk_live_[0-9A-Za-z]{38}$/],
  ] as const)('of %s have their own prefix, 32 random characters and a checksum of 6', (environment, form) => {
    const { text, hash, prefix, lastFour } = makeKeySecret(environment);
    expect(text).toMatch(form);
    expect([prefix, lastFour]).toEqual([text.slice(0, 12), text.slice(-4)]);
    expect(readKeySecret(text)).toEqual({ environment, hash });
    expect(hash).toEqual(hashSecret(text));
    expect(hash).toHaveLength(32);
  });

  it('with any one character replaced are refused', () => {
    const { text } = makeKeySecret('production');
    for (let at = 0; at < text.length; at++) {
      for (const character of BASE62) {
        if (character === text[at]) continue;
        expect(readKeySecret(text.slice(0, at) + character + text.slice(at + 1))).toBeNull();
      }
    }
  });

  it('with two adjacent characters swapped are refused', () => {
    const { text } = makeKeySecret('sandbox');
    for (let at = 0; at + 1 < text.length; at++) {
      if (text[at] === text[at + 1]) continue;
      expect(readKeySecret(text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2))).toBeNull();
    }
  });

  it('with the prefix of the other environment are refused', () => {
    const { text } = makeKeySecret('sandbox');
    expect(readKeySecret(text.replace('sk_test_', 'sk_live_'))).toBeNull();
  });

  it('are drawn evenly from all 62 characters', () => {
    const counts = new Map<string, number>();
    const draws = 4_000 * 32;
    for (let made = 0; made < 4_000; made++) {
      for (const character of makeKeySecret('sandbox').text.slice(8, 40)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    // A byte taken modulo 62 without rejection would make the first eight a fifth likelier.
    for (const character of BASE62) {
      const share = ((counts.get(character) ?? 0) * 62) / draws;
      expect(share).toBeGreaterThan(0.85);
      expect(share).toBeLessThan(1.15);
    }
  });
});

describe('tokens', () => {
  it.each([
    ['plant', 'service', /^pt_[0-9A-Za-z]{38}$/],
    ['service', 'plant', /^svc_[0-9A-Za-z]{38}$/],
  ] as const)('of kind %s are refused as kind %s and as keys', (kind, other, form) => {
    const { text, hash } = makeToken(kind);
    expect(text).toMatch(form);
    expect(readToken(kind, text)).toEqual(hash);
    expect(readToken(other, text)).toBeNull();
    expect(readKeySecret(text)).toBeNull();
  });
});

describe('any other text', () => {
  it.each([
    '',
    'sk_live_',
    ' ',
    `${makeKeySecret('production').text} `,
    `${makeKeySecret('production').text}\n`,
    makeKeySecret('production').text.slice(0, -1),
    makeKeySecret('production').text.toUpperCase(),
    `sk_live_${'0'.repeat(38)}`,
    `sk_live_${'é'.repeat(38)}`,
    `sk_live_${'\0'.repeat(38)}`,
    `sk_live_${'😀'.repeat(19)}`,
  ])('is refused: %j', (text) => {
    expect(readKeySecret(text)).toBeNull();
    expect(readToken('plant', text)).toBeNull();
    expect(readToken('service', text)).toBeNull();
  });

  it('is refused as a key if it is random', () => {
    const prefixes = fc.constantFrom('', 'sk_live_', 'sk_test_', 'pt_', 'svc_');
    const bodies = fc.oneof(fc.string(), fc.string({ minLength: 38, maxLength: 38 }));
    const property = fc.property(prefixes, bodies, (prefix, body) => readKeySecret(prefix + body) === null);
    fc.assert(property, { numRuns: 2_000 });
  });
});
