// Gateway: the queue of the access record: a stream in Redis that all gateways append to, and that one at a time reads.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import type { AccessBatch } from '#core/events.ts';
import { within } from '#core/within.ts';
import { openRedis } from '#limits/redis-connection.ts';

/**
 * The form of what is appended. A release reads those of all before it; one that it does not know it leaves to gateways of the later
 * release that wrote it.
 */
const FORM = 1;
/** Redis is taken to be away where it does not answer for so long. */
const PATIENCE_MS = 2_000;
/** What is appended is in this process alone until then, and no call is to be for longer than a second. */
const APPEND_MS = 500;
/** Whoever has the lease and says nothing for so long has lost it. */
const LEASE_MS = 5_000;
/** What is saved in one transaction. */
const MAX_BATCHES = 20;
const MAX_CALLS = 1_000;

export interface QueueState {
  /** Batches that wait in it. */
  batches: number;
  /** How long the oldest of them has been there, by Redis's clock. */
  oldestSeconds: number;
  /** How many were ever appended to it: it never goes back unless the queue has lost what it had. */
  appended: number;
}

export interface Taken extends QueueState {
  /** The oldest batches, in their order; null where another process has the lease. */
  read: readonly { id: string; batch: AccessBatch }[] | null;
}

/** Its methods reject where Redis is away. */
export interface AccessStream {
  /** Resolves once Redis is there, or after `PATIENCE_MS`. */
  ready: Promise<unknown>;
  /** Whether it was appended is not known where this rejects. */
  append(batch: AccessBatch): Promise<void>;
  /** Takes or keeps the lease for `holder`, where nobody else has it, and looks. */
  take(holder: string): Promise<Taken>;
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

/** The queue of the gateways of one `fleet` in the Redis that `url` names; connects in the background. */
export function openStream(url: string, ca: string | undefined, fleet: string): AccessStream {
  const redis = openRedis(url, ca);
  // Whoever needs it is told with each command.
  redis.on('error', () => {});
  redis.defineCommand('accessAppend', { numberOfKeys: 2, lua: script('append') });
  redis.defineCommand('accessTake', { numberOfKeys: 3, lua: script('take') });
  redis.defineCommand('accessRelease', { numberOfKeys: 1, lua: script('release') });
  const scripts = redis as unknown as WithScripts;
  // A Cluster keeps everything with these braces in one place.
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

/** Up to the first one that this release cannot read: nothing of a writer may be saved before what came before it. */
function readBatches(replied: Reply): { id: string; batch: AccessBatch }[] {
  const read: { id: string; batch: AccessBatch }[] = [];
  for (let at = 0; at < replied.length; at += 3) {
    const [id, form, bytes] = replied.slice(at, at + 3) as [Buffer, Buffer, Buffer];
    try {
      if (Number(form) !== FORM) throw new Error(`its form is ${form}, known is ${FORM}`);
      read.push({ id: `${id}`, batch: deserialize(bytes) });
    } catch (cause) {
      if (read.length > 0) return read;
      throw new Error(`the batch ${id} of the access queue cannot be read`, { cause });
    }
  }
  return read;
}

/** Commands to nodes of a Cluster that are away would wait for them without end. */
const inTime = <Answer>(answer: Promise<Answer>, patienceMs = PATIENCE_MS): Promise<Answer> =>
  within(patienceMs, answer, () => new Error(`Redis did not answer within ${patienceMs} ms`));
