// Gateway: the queue of the access record: a Redis stream to which all gateways append, and which one at a time reads.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import type { AccessBatch } from '#core/events.ts';
import { withTimeout } from '#core/with-timeout.ts';
import { openRedis } from '#limits/redis-connection.ts';

/**
 * Format of appended batches. A release can read all earlier formats. It leaves unknown ones to gateways of the later
 * release that wrote them.
 */
const FORM = 1;
/** Timeout after which Redis counts as away. */
const PATIENCE_MS = 2_000;
/** Timeout of an append. Until then the batch is only in this process, where no call should be for over a second. */
const APPEND_MS = 500;
/** A lease that is not renewed for this time expires. */
const LEASE_MS = 5_000;
/** Maxima of one transaction. */
const MAX_BATCHES = 20;
const MAX_CALLS = 1_000;

export interface QueueState {
  /** Number of batches in the queue. */
  batches: number;
  /** Age of the oldest batch by Redis's clock. */
  oldestSeconds: number;
  /** Number of batches ever appended. It only decreases when the queue has lost its content. */
  appended: number;
}

export interface TakeResult extends QueueState {
  /** The oldest batches, in order; null where another process has the lease. */
  read: readonly { id: string; batch: AccessBatch }[] | null;
}

/** Methods reject while Redis is away. */
export interface AccessStream {
  /** Resolves once Redis is connected, or after `PATIENCE_MS`. */
  ready: Promise<unknown>;
  /** Where this rejects, the batch may still have been appended. */
  append(batch: AccessBatch): Promise<void>;
  /** Acquires or renews the lease for `holder` unless another holds it, and reads the queue. */
  take(holder: string): Promise<TakeResult>;
  remove(ids: readonly string[]): Promise<void>;
  release(holder: string): Promise<void>;
  close(): void;
}

type Reply = (number | Buffer)[];

interface WithScripts {
  accessAppend(stream: string, appended: string, form: number, calls: number, batch: Buffer): Promise<number>;
  accessTakeBuffer(
    ...sent: [
      stream: string,
      appended: string,
      lease: string,
      holder: string,
      ms: number,
      batches: number,
      calls: number,
    ]
  ): Promise<Reply>;
  accessRelease(lease: string, holder: string): Promise<unknown>;
}

const script = (name: string) => readFileSync(new URL(`./${name}.lua`, import.meta.url), 'utf8');

/** Opens the queue of a `fleet` in the Redis at `url`. Connects in the background. */
export function openStream(url: string, ca: string | undefined, fleet: string): AccessStream {
  const redis = openRedis(url, ca);
  // Each command reports its own failure.
  redis.on('error', () => {});
  redis.defineCommand('accessAppend', { numberOfKeys: 2, lua: script('append') });
  redis.defineCommand('accessTake', { numberOfKeys: 3, lua: script('take') });
  redis.defineCommand('accessRelease', { numberOfKeys: 1, lua: script('release') });
  const scripts = redis as unknown as WithScripts;
  // A Cluster stores all keys with these braces in one hash slot.
  const stream = `portico:access:{${fleet}}`;
  const appended = `${stream}:appended`;
  const lease = `${stream}:lease`;
  const connected = new Promise((resolve) => {
    redis.once('ready', resolve);
  });
  return {
    ready: Promise.race([connected, sleep(PATIENCE_MS, undefined, { ref: false })]),
    async append(batch) {
      await inTime(scripts.accessAppend(stream, appended, FORM, batch.calls.length, serialize(batch)), APPEND_MS);
    },
    async take(holder) {
      const [held, batches, age, count, ...read] = await inTime(
        scripts.accessTakeBuffer(stream, appended, lease, holder, LEASE_MS, MAX_BATCHES, MAX_CALLS),
      );
      const state = { batches: Number(batches), oldestSeconds: Number(age) / 1_000, appended: Number(count) };
      return { ...state, read: held === 1 ? readBatches(read) : null };
    },
    async remove(ids) {
      await inTime(redis.xdel(stream, ...ids));
    },
    async release(holder) {
      await inTime(scripts.accessRelease(lease, holder));
    },
    close: () => redis.disconnect(),
  };
}

/** Reads the batches before the first unreadable one: batches of a writer must be saved in order. */
function readBatches(replied: Reply): { id: string; batch: AccessBatch }[] {
  const read: { id: string; batch: AccessBatch }[] = [];
  for (let at = 0; at < replied.length; at += 3) {
    const [id, form, bytes] = replied.slice(at, at + 3) as [Buffer, Buffer, Buffer];
    try {
      if (Number(form) !== FORM) throw new Error(`its format is ${form}, but only ${FORM} is known`);
      read.push({ id: `${id}`, batch: deserialize(bytes) });
    } catch (cause) {
      if (read.length > 0) return read;
      throw new Error(`the batch ${id} of the access queue cannot be read`, { cause });
    }
  }
  return read;
}

/** Without a timeout, commands to unreachable nodes of a Cluster would wait forever. */
const inTime = <Answer>(answer: Promise<Answer>, patienceMs = PATIENCE_MS): Promise<Answer> =>
  withTimeout(patienceMs, answer, () => new Error(`Redis did not answer within ${patienceMs} ms`));
