// Test support: private Redis servers from the binary of this machine: single ones, Sentinels and a Cluster.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OwnedProcess } from '#test/support/owned-process.ts';
import { answers, freePort, until } from '#test/support/ports.ts';
import type { Service } from '#test/support/service.ts';

export async function runRedis(binary: string, extra: string[] = []): Promise<Service> {
  const port = await freePort();
  const owned = new OwnedProcess();
  const start = async () => {
    owned.start(binary, ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...extra]);
    await owned.started(() => answers(port, 'PING\r\n', '+PONG'));
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return owned.pid;
    },
    stop: () => owned.stop(),
    kill: () => owned.kill(),
    freeze: async () => owned.signal('SIGSTOP', false),
    thaw: async () => owned.signal('SIGCONT', false),
    restart: async () => {
      await owned.kill();
      await start();
    },
  };
}

/** Three Sentinels with a quorum of two that monitor a master named `portico`. `url` is a value for REDIS_URL. */
export async function runSentinels(binary: string, master: Service) {
  const sentinels: { owned: OwnedProcess; port: number }[] = [];
  const stop = async () => {
    await Promise.all(sentinels.map(({ owned }) => owned.stop()));
  };
  try {
    for (let i = 0; i < 3; i++) {
      const [owned, port] = [new OwnedProcess(), await freePort()];
      sentinels.push({ owned, port });
      const lines = [
        ...[`port ${port}`, 'bind 127.0.0.1', `sentinel monitor portico 127.0.0.1 ${master.port} 2`],
        ...['sentinel down-after-milliseconds portico 1000', 'sentinel failover-timeout portico 3000'],
      ];
      writeFileSync(join(owned.directory, 'sentinel.conf'), `${lines.join('\n')}\n`);
      owned.start(binary, ['sentinel.conf', '--sentinel']);
      await owned.started(() => answers(port, 'PING\r\n', '+PONG'));
    }
    // For a failover, the Sentinels must know each other and the replica to promote.
    const areConnected = async () => {
      const known = `num-other-sentinels\r\n$1\r\n2`;
      const asked = sentinels.flatMap(({ port }) => [
        answers(port, 'SENTINEL MASTER portico\r\n', known),
        answers(port, 'SENTINEL MASTER portico\r\n', 'num-slaves\r\n$1\r\n1'),
      ]);
      return (await Promise.all(asked)).every(Boolean);
    };
    await until(areConnected, 60_000, () => new Error('the Sentinels did not come together'));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/portico`, stop };
}

const MASTERS = 3;

export interface ClusterOptions {
  /** Of each of the three masters. */
  replicas?: number;
  /** After which a node that does not answer the others is considered failed; by default long enough for busy machines. */
  nodeTimeoutMs?: number;
}

/** Three masters with their replicas; `url` lists all nodes. */
export async function runRedisCluster(
  server: string,
  cli: string,
  { replicas = 0, nodeTimeoutMs = 15_000 }: ClusterOptions = {},
) {
  // No delay of five seconds before a replica gets its first copy, without which it cannot replace its master.
  const timing = ['--cluster-node-timeout', `${nodeTimeoutMs}`, '--repl-diskless-sync-delay', '0'];
  const flags = ['--cluster-enabled', 'yes', ...timing];
  const nodes: Service[] = [];
  const cluster = failovers(nodes);
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    for (let i = 0; i < MASTERS * (1 + replicas); i++) nodes.push(await runRedis(server, flags));
    const addresses = nodes.map((node) => `127.0.0.1:${node.port}`);
    await promisify(execFile)(cli, [
      '--cluster',
      'create',
      ...addresses,
      '--cluster-replicas',
      `${replicas}`,
      '--cluster-yes',
    ]);
    await until(cluster.isSettled, 60_000, () => new Error('the Redis Cluster did not come together'));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: nodes.map((node) => node.url).join(','), nodes, stop, ...cluster };
}

const MENDS_MS = 120_000;

function failovers(nodes: readonly Service[]) {
  const answering = async (asked: readonly Service[], command: string, expected: string): Promise<Service[]> => {
    const results = await Promise.all(asked.map(({ port }) => answers(port, `${command}\r\n`, expected)));
    return asked.filter((_node, at) => results[at]);
  };
  const mastersOf = (asked: readonly Service[]) => answering(asked, 'INFO replication', 'role:master');
  const areWhole = async (asked: readonly Service[]) =>
    (await answering(asked, 'CLUSTER INFO', 'cluster_state:ok')).length === asked.length;
  /** Whether all slots are served, and each replica is connected to its master. */
  const isSettled = async () => {
    const copies = await answering(nodes, 'INFO replication', 'master_link_status:up');
    return copies.length === nodes.length - MASTERS && (await areWhole(nodes));
  };
  return {
    isSettled,
    /** The current masters. */
    async masters(): Promise<Service[]> {
      let masters: Service[] = [];
      const found = async () => {
        masters = await mastersOf(nodes);
        return masters.length === MASTERS;
      };
      await until(
        found,
        MENDS_MS,
        () => new Error(`${masters.length} nodes of the Redis Cluster say they are masters`),
      );
      return masters;
    },
    /**
     * Kills a master, waits for its replica to replace it, runs `meanwhile`, and restarts the old master as a replica.
     */
    async failOver(master: Service, meanwhile: () => Promise<unknown>): Promise<void> {
      const others = nodes.filter((node) => node !== master);
      await master.kill();
      // The other nodes report a healthy cluster until they notice the failure.
      const replaced = async () => (await mastersOf(others)).length === MASTERS && (await areWhole(others));
      await until(replaced, MENDS_MS, () => new Error('no replica takes the place of a master of the Redis Cluster'));
      await meanwhile();
      await master.restart();
      await until(isSettled, MENDS_MS, () => new Error('a former master does not come back to the Redis Cluster'));
    },
  };
}
