// What is made when needed is made once, and again after it failed.
import { expect, it } from 'vitest';
import { lazy } from '#core/lazy.ts';

it('is made once, for however many ask, and not before', async () => {
  let made = 0;
  const get = lazy(async () => ++made);
  expect(made).toBe(0);
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  expect(await get()).toBe(1);
});

it('is made again after it failed', async () => {
  let tries = 0;
  const get = lazy(async () => {
    tries += 1;
    if (tries === 1) throw new Error('not yet');
    return tries;
  });
  await expect(get()).rejects.toThrow('not yet');
  expect(await get()).toBe(2);
});
