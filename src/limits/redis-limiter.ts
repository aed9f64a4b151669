// Limits: the limiter in Redis, shared by all gateways: one script, one round trip, one key per subject, Redis's clock.

import { readFileSync } from 'node:fs';
import type { Cluster, Redis } from 'ioredis';
import { FORMAT, registryKey, registryPlace } from './fleet.ts';
import { type Allowance, type Limited, Limiter, MAX_LIMIT, secondsToWait } from './limiter.ts';
import { type Beat, type BeatAnswer, type Entry, GONE_MS } from './peers.ts';
import { limitKey, placed } from './subjects.ts';

export const slidingWindowScript = readFileSync(new URL('./sliding-window.lua', import.meta.url), 'utf8');
const registryScript = readFileSync(new URL('./registry.lua', import.meta.url), 'utf8');

/** `refuse` counts a refusal that was decided elsewhere. */
export type Mode = 'take' | 'peek' | 'refuse';

export interface SharedAllowance extends Allowance {
  /** When Redis began this window. Where it has changed, Redis has lost what it had counted. */
  born: number;
}

/** Requests that a gateway admitted, by age in seconds. */
export type Counts = readonly (readonly [age: number, count: number])[];

/**
 * For Redis: what it has not counted (`unreported`) if its window began at `born`, otherwise the whole local window
 * (`all`).
 */
export interface WindowReport {
  born: number;
  unreported: Counts;
  all: Counts;
}

/** The store shared by the gateways. Its methods reject when it is away. */
export interface SharedStore {
  /** In the order of `subjects`. Either all are admitted and counted, or none. */
  decide(mode: Mode, subjects: readonly Limited[]): Promise<SharedAllowance[]>;
  /** Counts requests that were admitted elsewhere, regardless of the limit. Returns the window's `born`. */
  report(subject: string, report: WindowReport): Promise<number>;
  /** Announces this gateway, and returns the last beats of the others. */
  beat(beat: Beat): Promise<BeatAnswer>;
}

/** For each window: admitted, used, refused, resetAt, waitMs, born. */
type Reply = number[];
const REPLY_FIELDS = 6;
type RegistryReply = [number: string, known: number, born: string, ...entries: string[]];
interface WithScripts {
  /** The number of keys, the keys, their limits, the mode, and what to tell. */
  porticoLimit(count: number, ...keysAndMore: (string | number)[]): Promise<Reply>;
  porticoGateways(
    key: string,
    id: string,
    echo: number,
    left: 0 | 1,
    claims: string,
    keptMs: number,
  ): Promise<RegistryReply>;
}

export class RedisLimiter extends Limiter implements SharedStore {
  readonly #redis: WithScripts;
  readonly #fleet: string;
  readonly #registry: string;

  /** `fleet`: gateways with the same name share limits. */
  constructor(redis: Redis | Cluster, fleet = 'default', script = slidingWindowScript) {
    super();
    redis.defineCommand('porticoLimit', { lua: script });
    redis.defineCommand('porticoGateways', { numberOfKeys: 1, lua: registryScript });
    this.#redis = redis as unknown as WithScripts;
    this.#fleet = fleet;
    this.#registry = registryKey(fleet);
  }

  async takeAll(subjects: readonly Limited[]): Promise<Allowance[]> {
    return (await this.decide('take', subjects)).map(({ born, ...allowance }) => allowance);
  }

  async peek(subject: string, limit: number): Promise<Allowance> {
    const [{ born, ...allowance }] = (await this.decide('peek', [{ subject, limit }])) as [SharedAllowance];
    return allowance;
  }

  async decide(mode: Mode, subjects: readonly Limited[]): Promise<SharedAllowance[]> {
    const keys = subjects.map(({ subject }) => limitKey(this.#fleet, subject));
    const limits = subjects.map(({ limit }) => limit).join(' ');
    const reply = await this.#redis.porticoLimit(keys.length, ...keys, limits, mode);
    return subjects.map(({ limit }, i) => readAllowance(limit, reply.slice(i * REPLY_FIELDS, (i + 1) * REPLY_FIELDS)));
  }

  async report(subject: string, { born, unreported, all }: WindowReport): Promise<number> {
    const key = limitKey(this.#fleet, subject);
    const reply = await this.#redis.porticoLimit(
      1,
      key,
      '0',
      'tell',
      born,
      formatCounts(unreported),
      formatCounts(all),
    );
    return reply[5] ?? 0;
  }

  async beat({ id, echo, left, claims }: Beat): Promise<BeatAnswer> {
    const json = JSON.stringify(Object.fromEntries(claims));
    const [number, known, born, ...entries] = await this.#redis.porticoGateways(
      this.#registry,
      id,
      echo,
      left ? 1 : 0,
      json,
      GONE_MS,
    );
    const gateways = new Map<string, Entry>();
    for (let i = 0; i < entries.length; i += 2) {
      const entry = readEntry(entries[i + 1] ?? '');
      if (entry !== null) gateways.set(entries[i] ?? '', entry);
    }
    return { number: Number(number), known: known === 1, born: Number(born), gateways };
  }

  /** Resolves when Redis can write in the hash slot of this subject; null: in that of the registry of gateways. */
  async probe(subject: string | null): Promise<void> {
    const place = subject === null ? registryPlace(this.#fleet) : placed(subject);
    await this.#redis.porticoLimit(1, `portico:${FORMAT}:${this.#fleet}:probe:${place}`, '0', 'refuse');
  }
}

function readAllowance(limit: number, reply: Reply): SharedAllowance {
  const [admitted, used = 0, refused = 0, resetAt = 0, waitMs = 0, born = 0] = reply;
  return {
    admitted: admitted === 1,
    unavailable: false,
    limit,
    used,
    remaining: Math.max(0, Math.min(limit, MAX_LIMIT) - used),
    refused,
    resetAt,
    retryAfter: secondsToWait(waitMs),
    born,
  };
}

const formatCounts = (counts: Counts): string => counts.map(([age, count]) => `${age}:${count}`).join(' ');

/** Reads an entry of the registry of gateways. Null for text that no gateway has written. */
export function readEntry(text: string): Entry | null {
  const [lastBeat, echo, left, ...json] = text.split(' ');
  try {
    const claims = new Map(Object.entries(JSON.parse(json.join(' ')) as Record<string, number>));
    return { lastBeat: Number(lastBeat), echo: Number(echo), left: left === '1', claims };
  } catch {
    return null;
  }
}
