// Guarantee: the access record is saved often enough to be current, together enough to be cheap, and wholly.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type AccessEvent, createEvents } from '#core/events.ts';
import { type AccessRecorder, recordAccess } from '#observability/access-recorder.ts';

const event = (requestId: string) => ({ requestId }) as AccessEvent;

let events: ReturnType<typeof createEvents>;
let saved: string[][];
/** Of the save that is under way. */
let outcome: PromiseWithResolvers<void>;
let recorder: AccessRecorder;

beforeEach(() => {
  vi.useFakeTimers();
  events = createEvents();
  saved = [];
  recorder = recordAccess(events, (batch) => {
    saved.push(batch.map(({ requestId }) => requestId));
    outcome = Promise.withResolvers();
    return outcome.promise;
  });
});

afterEach(() => vi.useRealTimers());

function call(count: number, name = 'call'): void {
  for (let number = 1; number <= count; number++) events.emit('access', event(`${name} ${number}`));
}

async function finish(): Promise<void> {
  outcome.resolve();
  await vi.advanceTimersByTimeAsync(0);
}

const sizes = () => saved.map(({ length }) => length);

it('calls of a fifth of a second are saved together', async () => {
  call(2);
  await vi.advanceTimersByTimeAsync(199);
  call(1, 'late');
  expect(saved).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(saved).toEqual([['call 1', 'call 2', 'late 1']]);
  expect(recorder.waiting()).toBe(3);
  await finish();
  expect(recorder.waiting()).toBe(0);
});

it('what comes while a batch is being saved waits for company', async () => {
  call(3);
  await vi.advanceTimersByTimeAsync(200);
  call(1, 'meanwhile');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sizes()).toEqual([3]);
  await finish();
  call(1, 'after');
  expect(sizes()).toEqual([3]);
  await vi.advanceTimersByTimeAsync(200);
  expect(saved[1]).toEqual(['meanwhile 1', 'after 1']);
});

it('full batches follow each other at once', async () => {
  call(2_500);
  await vi.advanceTimersByTimeAsync(200);
  await finish();
  expect(sizes()).toEqual([1_000, 1_000]);
  await finish();
  expect(sizes()).toEqual([1_000, 1_000]);
  await vi.advanceTimersByTimeAsync(200);
  await finish();
  expect(sizes()).toEqual([1_000, 1_000, 500]);
  expect(new Set(saved.flat()).size).toBe(2_500);
});

it('a batch that could not be saved is saved again, with what has come since', async () => {
  call(2);
  await vi.advanceTimersByTimeAsync(200);
  outcome.reject(new Error('away'));
  await vi.advanceTimersByTimeAsync(499);
  call(1, 'since');
  expect(sizes()).toEqual([2]);
  await vi.advanceTimersByTimeAsync(1);
  expect(saved[1]).toEqual(['call 1', 'call 2', 'since 1']);
});

it('closing saves what is left', async () => {
  call(1_001);
  const closed = recorder.close(5_000);
  await finish();
  await vi.advanceTimersByTimeAsync(100);
  await finish();
  await vi.advanceTimersByTimeAsync(100);
  expect(await closed).toEqual({ lost: 0 });
  expect(sizes()).toEqual([1_000, 1]);
});

it('the oldest grows older by the time that goes by, whatever the clock is set to', async () => {
  expect(recorder.oldestSeconds()).toBe(0);
  call(1);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(recorder.oldestSeconds()).toBe(3);
  vi.setSystemTime(Date.now() - 3_600_000);
  call(1, 'later');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(recorder.oldestSeconds()).toBe(4);
});
