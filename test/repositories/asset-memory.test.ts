import { beforeEach, describe, expect, it } from 'vitest';
import { AssetMemory } from '#repositories/assets/asset-memory.ts';

const MB = 1_048_576;

let memory: AssetMemory;

beforeEach(() => {
  memory = new AssetMemory(1);
});

/** Only what is read again is kept. */
function keepTwice(name: string, rows: readonly unknown[], state = 'state'): void {
  memory.keep(name, state, rows, false);
  memory.keep(name, state, rows, false);
}

const rowsOf = (characters: number, letter: string) => [{ text: letter.repeat(characters) }];

describe('what is kept', () => {
  it('is what was read twice in the same state', () => {
    memory.keep('page', 'one', rowsOf(10, 'a'), false);
    expect(memory.find('page')).toBeUndefined();
    memory.keep('page', 'two', rowsOf(10, 'b'), false);
    expect(memory.find('page')).toBeUndefined();
    memory.keep('page', 'two', rowsOf(10, 'b'), false);
    expect(memory.find('page')).toMatchObject({ state: 'two', rows: rowsOf(10, 'b') });
  });

  it('comes back as it was, in whatever alphabet, beside and after others of all sizes', () => {
    const letters = ['a', 'ü', '猫', '🐎'];
    const sizes = [0, 1, 2_030, 2_048, 5_000, 40_000];
    for (let round = 0; round < 40; round++) {
      const rows = rowsOf(sizes[(round * 5) % sizes.length] as number, letters[round % letters.length] as string);
      keepTwice(`page ${round}`, rows);
      for (let earlier = 0; earlier <= round; earlier++) {
        const kept = memory.find(`page ${earlier}`);
        const size = sizes[(earlier * 5) % sizes.length] as number;
        if (kept !== undefined) expect(kept.rows).toEqual(rowsOf(size, letters[earlier % letters.length] as string));
      }
      expect(memory.find(`page ${round}`)).toBeDefined();
    }
  });

  it('makes room for what comes after it, the longest unasked first', () => {
    for (const name of ['one', 'two', 'three']) keepTwice(name, rowsOf(0.3 * MB, 'x'));
    memory.find('one');
    keepTwice('four', rowsOf(0.3 * MB, 'x'));
    expect(['one', 'two', 'three', 'four'].filter((name) => memory.find(name))).toEqual(['one', 'three', 'four']);
  });

  it('is not what is too large for all the room, and nothing is lost by that', () => {
    keepTwice('small', rowsOf(10, 'x'));
    keepTwice('large', rowsOf(2 * MB, 'x'));
    keepTwice('small', rowsOf(2 * MB, 'y'), 'grown');
    expect([memory.find('large'), memory.find('small')]).toEqual([undefined, undefined]);
    for (let count = 0; count < 10; count++) keepTwice('again', rowsOf(0.9 * MB, `${count}`), `${count}`);
    expect(memory.find('again')?.rows).toEqual(rowsOf(0.9 * MB, '9'));
  });

  it('is refused to whoever held on to it while others took its place', () => {
    keepTwice('one', rowsOf(0.6 * MB, 'x'));
    const held = memory.find('one');
    keepTwice('two', rowsOf(0.6 * MB, 'y'));
    expect(() => held?.rows).toThrow('taken their place');
  });

  it('is nothing where there is no room', () => {
    memory = new AssetMemory(0);
    keepTwice('page', rowsOf(1, 'x'));
    expect(memory.find('page')).toBeUndefined();
  });
});
