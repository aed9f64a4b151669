// A lazy value is created on first use, once, and again after a failure.
import { expect, it } from 'vitest';
import { lazy } from '#core/lazy.ts';

it('a lazy value is created once for concurrent callers, and not before the first', async () => {
  let made = 0;
  const get = lazy(async () => ++made);
  expect(made).toBe(0);
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  expect(await get()).toBe(1);
});

it('a lazy value is created again after a failure', async () => {
  let tries = 0;
  const get = lazy(async () => {
    tries += 1;
    if (tries === 1) throw new Error('not yet');
    return tries;
  });
  await expect(get()).rejects.toThrow('not yet');
  expect(await get()).toBe(2);
});
