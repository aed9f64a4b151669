// Load: many requests abreast, each one's fate kept, until told to stop.

import { Agent, type IncomingHttpHeaders, request as send } from 'node:http';
import { TIER_LIMITS } from '#core/tiers.ts';

export interface Sent {
  url: string;
  /** `performance.now()` before it was sent, and when its fate was known. */
  started: number;
  ended: number;
  /** 0: no whole answer came. */
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

const PATIENCE_MS = 60_000;

/**
 * Milliseconds to rest after each answer, so that so many senders abreast stay within the limit of an enterprise key however fast
 * the machine is; also where gateways limit by themselves, which admit at least four fifths of it in 64 seconds.
 */
export const withinLimit = (abreast: number): number => Math.ceil((abreast * 64_000) / (0.8 * TIER_LIMITS.enterprise));

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
    // Until then it waits here, for a connection to become free or to close.
    request.once('socket', () => {
      started = performance.now();
    });
    request.setTimeout(PATIENCE_MS, () => request.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
    request.on('error', (error) => finish({ error }));
    request.end();
  });
}

export interface Load {
  /** All that ended so far. */
  sent: Sent[];
  /** Sends nothing new, waits for what is under way and gives everything. */
  stop(): Promise<Sent[]>;
}

/**
 * `abreast` senders, each sending `wanted` of the number of the request, and resting for `pauseMs` after each answer. After a
 * failure a sender rests a moment.
 */
export function startLoad(
  wanted: (count: number) => Wanted,
  abreast: number,
  { keepAlive = true, pauseMs = 0 } = {},
): Load {
  const sent: Sent[] = [];
  const agent = new Agent({ keepAlive, maxSockets: abreast });
  let on = true;
  let count = 0;
  const senders = Array.from({ length: abreast }, async () => {
    while (on) {
      count += 1;
      const one = await sendOne(wanted(count), agent);
      sent.push(one);
      const rest = one.error === null ? pauseMs : Math.max(pauseMs, 20);
      if (rest > 0) await new Promise((wake) => setTimeout(wake, rest));
    }
  });
  return {
    sent,
    async stop() {
      on = false;
      await Promise.all(senders);
      agent.destroy();
      return sent;
    },
  };
}
