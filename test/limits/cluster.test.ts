// Limits in a Redis Cluster, also while a node is down.

import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLimiter, type LimiterHandle } from '#limits/create-limiter.ts';
import { subjectBeside } from '#limits/subjects.ts';
import { SLOWEST_MS } from '#test/limits/gateways.ts';
import { randomSubject } from '#test/limits/rigs.ts';
import { until } from '#test/support/ports.ts';
import { startRedisCluster } from '#test/support/services.ts';

/** Long enough for several probes by each gateway. */
const PROBED_MS = 500;

let cluster: Awaited<ReturnType<typeof startRedisCluster>>;
let gateways: LimiterHandle[];
let impatient: LimiterHandle;
beforeAll(async () => {
  cluster = await startRedisCluster();
  gateways = [1, 2].map(() => createLimiter({ redisUrl: cluster.url, patienceMs: 60_000 }));
  impatient = createLimiter({ redisUrl: cluster.url });
  await Promise.all([...gateways, impatient].map((gateway) => gateway.ready));
});
afterAll(async () => {
  for (const gateway of [...(gateways ?? []), impatient]) gateway?.close();
  await cluster?.stop();
});

describe('a Redis Cluster', () => {
  it('counts subjects in any slot for all gateways together', async () => {
    expect(gateways.map((gateway) => gateway.status())).toEqual(['redis', 'redis']);
    const subjects = Array.from({ length: 30 }, randomSubject);
    const admitted = await Promise.all(
      subjects.map(async (subject) => {
        const takes = Array.from({ length: 20 }, (_, i) => gateways[i % 2]?.limiter.take(subject, 10));
        return (await Promise.all(takes)).filter((answer) => answer?.admitted).length;
      }),
    );
    expect(admitted).toEqual(subjects.map(() => 10));
    expect(gateways.map((gateway) => gateway.status())).toEqual(['redis', 'redis']);
  });

  it('decides about a key and its firm together, in any slot', async () => {
    const firms = Array.from({ length: 30 }, randomSubject);
    const takes = (firm: string, key: string) =>
      Array.from({ length: 8 }, (_, i) =>
        gateways[i % 2]?.limiter.takeAll([
          { subject: subjectBeside(firm, key), limit: 6 },
          { subject: firm, limit: 10 },
        ]),
      );
    const admitted = await Promise.all(
      firms.map(async (firm) => {
        const one = await Promise.all(takes(firm, 'one'));
        const other = await Promise.all(takes(firm, 'other'));
        return [one, other].map((answers) => answers.filter((answer) => answer?.[0]?.admitted).length);
      }),
    );
    expect(admitted).toEqual(firms.map(() => [6, 4]));
    const used = (subject: string) => gateways[0]?.limiter.peek(subject, 100).then((answer) => answer.used);
    for (const firm of firms) {
      const windows = [firm, subjectBeside(firm, 'one'), subjectBeside(firm, 'other')];
      expect(await Promise.all(windows.map(used))).toEqual([10, 6, 4]);
    }
    expect(gateways.map((gateway) => gateway.status())).toEqual(['redis', 'redis']);
  });

  it('that loses a node fails and delays no request, and the limits are not exceeded', async () => {
    const subjects = Array.from({ length: 30 }, randomSubject);
    const gateway = impatient;
    const takeAll = () => Promise.all(subjects.map((subject) => gateway.limiter.take(subject, 3)));
    await takeAll();
    await cluster.nodes[1]?.kill();
    const counts = subjects.map(() => 1);
    for (let round = 0; round < 5; round++) {
      const sent = performance.now();
      for (const [i, answer] of (await takeAll()).entries()) counts[i] = (counts[i] ?? 0) + (answer.admitted ? 1 : 0);
      expect(performance.now() - sent).toBeLessThan(SLOWEST_MS);
    }
    for (const count of counts) {
      expect(count).toBeGreaterThanOrEqual(1);
      expect(count).toBeLessThanOrEqual(3);
    }
    // A late answer is a failure only after a second.
    await expect.poll(() => gateway.status()).toBe('local');
  });

  it('is used again once the node is back', async () => {
    await cluster.nodes[1]?.restart();
    const back = async () => impatient.status() === 'redis';
    await until(back, 60_000, () => new Error(`still ${impatient.status()}`));
  });

  it('that loses the node with the beats is not used again before the node is back', async () => {
    const fleets = Array.from({ length: 12 }, () => {
      const changes: string[] = [];
      const options = { redisUrl: cluster.url, fleet: randomSubject(), patienceMs: 60_000 };
      return { changes, handle: createLimiter({ ...options, onStateChange: (status) => void changes.push(status) }) };
    });
    try {
      await Promise.all(fleets.map(({ handle }) => handle.ready));
      for (const { url } of cluster.nodes) {
        const node = new Redis(url);
        await node.config('SET', 'cluster-node-timeout', 2_000);
        node.disconnect();
      }
      await cluster.nodes[0]?.kill();
      // Fleets with their beats on other nodes follow once the Cluster notices that slots are missing.
      await expect.poll(() => fleets.map(({ handle }) => handle.status())).toEqual(fleets.map(() => 'local'));
      await sleep(PROBED_MS);
      expect(fleets.map(({ changes }) => changes)).toEqual(fleets.map(() => ['redis', 'local']));
    } finally {
      for (const { handle } of fleets) handle.close();
      await cluster.nodes[0]?.restart();
    }
  });
});
