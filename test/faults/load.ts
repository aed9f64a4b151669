// Load: concurrent requests until it is stopped, with the outcome of each.

import { Agent, type IncomingHttpHeaders, request as send } from 'node:http';
import { TIER_LIMITS } from '#core/tiers.ts';

export interface Sent {
  url: string;
  /** `performance.now()` before it was sent, and when its outcome was known. */
  started: number;
  ended: number;
  /** 0: no complete response was received. */
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  error: (Error & { code?: string }) | null;
}

export interface Wanted {
  url: string;
  method?: string;
  headers: Record<string, string>;
}

const TIMEOUT_MS = 60_000;

/**
 * Milliseconds to pause after each response, so that this many concurrent senders stay within the limit of an
 * enterprise key on any machine; also without Redis, when gateways admit at least four fifths of it in 64 seconds.
 */
export const withinLimit = (concurrency: number): number =>
  Math.ceil((concurrency * 64_000) / (0.8 * TIER_LIMITS.enterprise));

/** A third of that pace: for faults that last for seconds, of which it is enough that requests meet them all the time. */
export const wellWithinLimit = (concurrency: number): number => 3 * withinLimit(concurrency);

export function sendOne({ url, method = 'GET', headers }: Wanted, agent?: Agent): Promise<Sent> {
  let started = performance.now();
  return new Promise((resolve) => {
    const finish = (outcome: Partial<Sent>) =>
      resolve({ url, started, ended: performance.now(), status: 0, headers: {}, text: '', error: null, ...outcome });
    const request = send(url, { method, headers, ...(agent === undefined ? {} : { agent }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', (error) => finish({ error }));
      response.on('end', () => {
        const { statusCode: status = 0, headers: received } = response;
        finish({ status, headers: received, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    // Before that, the request waits in the agent for a free connection.
    request.once('socket', () => {
      started = performance.now();
    });
    request.setTimeout(TIMEOUT_MS, () => request.destroy(new Error(`no response within ${TIMEOUT_MS} ms`)));
    request.on('error', (error) => finish({ error }));
    request.end();
  });
}

export interface Load {
  /** All requests that have ended so far. */
  sent: Sent[];
  /** Starts no more requests, waits for those in flight, and returns all. */
  stop(): Promise<Sent[]>;
}

/**
 * Starts `concurrency` senders, which send `wanted(number of the request)` and pause for `pauseMs` after each response,
 * and for at least 20 ms after a failure.
 */
export function startLoad(
  wanted: (count: number) => Wanted,
  concurrency: number,
  { keepAlive = true, pauseMs = 0 } = {},
): Load {
  const sent: Sent[] = [];
  const agent = new Agent({ keepAlive, maxSockets: concurrency });
  let running = true;
  let count = 0;
  const senders = Array.from({ length: concurrency }, async () => {
    while (running) {
      count += 1;
      const one = await sendOne(wanted(count), agent);
      sent.push(one);
      const pause = one.error === null ? pauseMs : Math.max(pauseMs, 20);
      if (pause > 0) await new Promise((wake) => setTimeout(wake, pause));
    }
  });
  return {
    sent,
    async stop() {
      running = false;
      await Promise.all(senders);
      agent.destroy();
      return sent;
    },
  };
}
