// Guarantee: access records are saved soon, in batches and completely.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AccessBatch, type AccessEvent, type AttemptEvent, createEvents } from '#core/events.ts';
import { type AccessRecorder, recordAccess } from '#observability/access-recorder.ts';
import { LISTED_PER_MINUTE, MAX_WAITING } from '#observability/refusal-bounds.ts';

const event = (requestId: string) => ({ requestId }) as AccessEvent;

let events: ReturnType<typeof createEvents>;
let saved: string[][];
/** The numbers of the saved batches. */
let numbers: number[];
/** The last saved batch. */
let last: AccessBatch;
/** The result of the save in progress. */
let outcome: PromiseWithResolvers<void>;
let recorder: AccessRecorder;

beforeEach(() => {
  vi.useFakeTimers();
  events = createEvents();
  saved = [];
  numbers = [];
  recorder = recordAccess(
    events,
    (batch) => {
      last = batch;
      numbers.push(batch.number);
      saved.push(batch.calls.map(({ event: { requestId } }) => requestId));
      outcome = Promise.withResolvers();
      return outcome.promise;
    },
    () => {},
  );
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

it('calls within 200 ms are saved together', async () => {
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

it('calls that arrive during a save wait for the next batch', async () => {
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

it('full batches are saved without a pause', async () => {
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

it('a batch that could not be saved is saved again unchanged, and then the later calls', async () => {
  call(2);
  await vi.advanceTimersByTimeAsync(200);
  outcome.reject(new Error('away'));
  await vi.advanceTimersByTimeAsync(499);
  call(1, 'since');
  expect(sizes()).toEqual([2]);
  await vi.advanceTimersByTimeAsync(1);
  expect(saved[1]).toEqual(['call 1', 'call 2']);
  expect(numbers).toEqual([1, 1]);
  await finish();
  await vi.advanceTimersByTimeAsync(200);
  expect(saved[2]).toEqual(['since 1']);
  expect(numbers).toEqual([1, 1, 2]);
});

it('closing saves the waiting calls', async () => {
  call(1_001);
  const closed = recorder.close(5_000);
  await finish();
  await vi.advanceTimersByTimeAsync(100);
  await finish();
  await vi.advanceTimersByTimeAsync(100);
  expect(await closed).toEqual({ lost: 0 });
  expect(sizes()).toEqual([1_000, 1]);
});

it('closing ends at its timeout and reports the lost calls, even if a save does not end', async () => {
  call(2);
  await vi.advanceTimersByTimeAsync(200);
  call(1, 'late');
  const closed = recorder.close(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await Promise.race([closed, Promise.resolve('still saving')])).toEqual({ lost: 3 });
  outcome.reject(new Error('nobody waits for it any more'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sizes()).toEqual([2]);
});

it('closing keeps its timeout when the clock is set', async () => {
  call(1);
  const closed = recorder.close(1_000);
  await vi.advanceTimersByTimeAsync(0);
  vi.setSystemTime(Date.now() + 3_600_000);
  outcome.reject(new Error('not now'));
  await vi.advanceTimersByTimeAsync(500);
  await finish();
  await vi.advanceTimersByTimeAsync(500);
  expect(await closed).toEqual({ lost: 0 });
});

it('the age of the oldest call is elapsed time, whatever the clock is set to', async () => {
  expect(recorder.oldestSeconds()).toBe(0);
  call(1);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(recorder.oldestSeconds()).toBe(3);
  vi.setSystemTime(Date.now() - 3_600_000);
  call(1, 'later');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(recorder.oldestSeconds()).toBe(4);
});

describe('refused calls', () => {
  const at = '2026-01-15T12:00:00.000Z';
  const refused = (clientId: string | null, more: Partial<AccessEvent> = {}) =>
    events.emit('access', {
      ...event('refused'),
      ...{
        at,
        firmId: 'firm',
        keyId: 'key',
        clientId,
        scopes: 0,
        status: 403,
        errorCode: 'no_active_grant',
        endpoint: 'E',
      },
      ...more,
    });
  const counted = { day: '2026-01-15', endpoint: 'E', status: 403, errorCode: 'no_active_grant' };

  it('about no client are listed up to a number per minute, and then counted', async () => {
    for (let nth = 0; nth < LISTED_PER_MINUTE + 7; nth++) refused(null);
    expect(recorder.waiting()).toBe(LISTED_PER_MINUTE);
    expect(recorder.counts().unlisted).toBe(7);
    refused(null, { keyId: 'another' });
    refused(null, { at: '2026-01-15T12:01:00.000Z' });
    await vi.advanceTimersByTimeAsync(200);
    expect(last.calls).toHaveLength(LISTED_PER_MINUTE + 2);
    expect(last.calls.every(({ listed }) => listed)).toBe(true);
    expect(last.counts).toEqual([{ ...counted, caller: { firmId: 'firm', keyId: 'key' }, calls: 7 }]);
  });

  it('about a client are all recorded, and as many of them listed as of calls about no client', async () => {
    const others = Array.from({ length: 500 }, (_, nth) => (nth % 3 === 0 ? null : `client ${nth % 7}`));
    for (const clientId of others) refused(clientId);
    await vi.advanceTimersByTimeAsync(200);
    expect(last.calls.filter(({ listed }) => listed).map(({ event: { clientId } }) => clientId)).toEqual(
      others.slice(0, LISTED_PER_MINUTE),
    );
    expect(last.calls.filter(({ event: { clientId } }) => clientId !== null)).toHaveLength(
      others.filter((clientId) => clientId !== null).length,
    );
  });

  it('with secrets that may be keys are bounded, however many are tried', async () => {
    const attempt = (secret: number) =>
      events.emit('attempt', {
        ...{ at, requestId: 'r', endpoint: 'E', registryId: null, status: 401, errorCode: 'invalid_api_key' },
        keyHash: Buffer.from([secret >> 8, secret & 255]),
      } as AttemptEvent);
    for (let nth = 0; nth < 100; nth++) attempt(1);
    for (let nth = 0; nth < 10_000; nth++) attempt(nth + 2);
    expect(recorder.waiting()).toBeLessThanOrEqual(LISTED_PER_MINUTE + 2_000);
    await vi.advanceTimersByTimeAsync(200);
    expect(last.counts.map(({ calls }) => calls)).toEqual([100 - LISTED_PER_MINUTE]);
    expect(last.strangers).toEqual([{ day: '2026-01-15', errorCode: 'invalid_api_key', calls: 10_000 - 1_999 }]);
  });

  it('are only counted while many calls wait, as during a long outage of the database', async () => {
    const attempt = (minute: number, secret: number) =>
      events.emit('attempt', {
        ...{ at: new Date(Date.parse(at) + minute * 60_000).toISOString(), requestId: 'r', endpoint: 'E' },
        ...{ registryId: null, status: 503, errorCode: 'service_unavailable', keyHash: Buffer.from([secret]) },
      } as AttemptEvent);
    for (let minute = 0; minute < 30; minute++)
      for (let secret = 0; secret < 50; secret++)
        for (let nth = 0; nth < LISTED_PER_MINUTE; nth++) attempt(minute, secret);
    const all = 30 * 50 * LISTED_PER_MINUTE;
    expect(recorder.waiting()).toBe(MAX_WAITING);
    expect(recorder.counts().unlisted).toBe(all - MAX_WAITING);
    refused('client');
    call(1);
    expect(recorder.waiting()).toBe(MAX_WAITING + 2);
    const counts: number[] = [];
    for (let batches = 0; recorder.waiting() > 0; batches++) {
      await vi.advanceTimersByTimeAsync(200);
      if (batches === 0) counts.push(...last.counts.map(({ calls }) => calls));
      await finish();
    }
    expect(counts.reduce((sum, calls) => sum + calls, 0)).toBe(all - MAX_WAITING);
    attempt(40, 1);
    expect(recorder.waiting()).toBe(1);
  });

  it('take bounded memory, however long the outage and however many secrets are tried', async () => {
    const [minutes, secrets] = [60, 2_000];
    for (let nth = 0; nth < minutes * secrets; nth++) {
      const keyHash = Buffer.alloc(4);
      keyHash.writeUInt32BE(nth);
      const time = new Date(Date.parse(at) + Math.floor(nth / secrets) * 60_000).toISOString();
      events.emit('attempt', {
        ...{ at: time, requestId: 'r', endpoint: 'E', registryId: null, status: 404, errorCode: 'not_found', keyHash },
      } as AttemptEvent);
    }
    expect(recorder.waiting()).toBe(MAX_WAITING);
    await vi.advanceTimersByTimeAsync(200);
    expect(last.counts.length).toBeLessThan(MAX_WAITING);
    const counted = [...last.counts, ...last.strangers].reduce((sum, { calls }) => sum + calls, 0);
    expect(counted).toBe(minutes * secrets - MAX_WAITING);
  });

  it('without a key are counted, and saved even if there are no calls', async () => {
    for (let nth = 0; nth < 5; nth++) events.emit('unauthenticated', { at, errorCode: 'invalid_api_key' });
    const closed = recorder.close(5_000);
    await finish();
    await vi.advanceTimersByTimeAsync(100);
    expect(await closed).toEqual({ lost: 0 });
    expect(last.strangers).toEqual([{ day: '2026-01-15', errorCode: 'invalid_api_key', calls: 5 }]);
  });
});
