// Risk: whoever sends many requests over one connection and reads nothing has all of their answers kept in memory.

import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createInternalListener } from '#src/listeners.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePlantCaller } from '#test/support/plants.ts';

const statusesIn = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);

describe('on the public listener', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());

  it('a request begins when those before it on its connection are answered', async () => {
    const { token } = await makePlantCaller(gateway, 'one after the other');
    const head = (method: string, more: string) =>
      `${method} /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`;
    const steps = Array.from({ length: 20 }, (_, at) => {
      const plant = JSON.stringify({ id: at, name: `plant ${at}` });
      return `${head('POST', `Content-Type: application/json\r\nContent-Length: ${plant.length}\r\n`)}${plant}${head('GET', '')}`;
    });
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    const answer = text(socket);
    socket.write(steps.join('') + head('GET', 'Connection: close\r\n'));
    const lists = [...(await answer).matchAll(/^\[.*\](?=HTTP|$)/gm)].map(([list]) => JSON.parse(list).length);
    expect(lists).toEqual([...steps.map((_, at) => at + 1), steps.length]);
  });
});

describe('on the internal listener', () => {
  let listener: ReturnType<typeof createInternalListener>;
  /** Gives the answer to each request that has begun. */
  let begun: ((text: string) => void)[];
  let socket: Socket;

  beforeEach(async () => {
    begun = [];
    listener = createInternalListener({
      events: {} as never,
      traced: false,
      tellsTimes: false,
      tools: () => Promise.reject(new Error('not asked for')),
      database: {} as never,
      metrics: { contentType: 'text/plain', text: () => new Promise((answer) => begun.push(answer)) },
      health: { check: async () => ({ ready: true, report: { status: 'ready' } }), stopping: () => {} },
      graphiql: false,
    });
    await listener.listen({ host: '127.0.0.1', port: 0 });
    socket = connect((listener.server.address() as AddressInfo).port, '127.0.0.1');
  });
  afterEach(async () => {
    socket.destroy();
    await listener.close();
  });

  const ASK = 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n';
  const LAST = 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  /** Each request of its own connection is begun: so has any that came before it and is not kept waiting. */
  async function othersAreAnswered(): Promise<void> {
    const other = connect((listener.server.address() as AddressInfo).port, '127.0.0.1');
    other.write(LAST);
    expect(statusesIn(await text(other))).toEqual(['200']);
  }

  it('one request of a connection is begun at a time, and all are answered in their order', async () => {
    const answer = text(socket);
    socket.write(ASK.repeat(50) + LAST);
    for (let at = 0; at < 50; at += 1) {
      await expect.poll(() => begun.length).toBe(at + 1);
      await othersAreAnswered();
      expect(begun.length).toBe(at + 1);
      begun[at]?.(`answer ${at};`);
    }
    const told = await answer;
    expect(statusesIn(told)).toEqual(Array(51).fill('200'));
    expect([...told.matchAll(/answer (\d+);/g)].map(([, at]) => Number(at))).toEqual([...begun.keys()]);
  });

  it('what waits on a connection that closes is never begun', async () => {
    const accepted = once(listener.server, 'connection') as Promise<[Socket]>;
    socket.write(ASK.repeat(50));
    const [near] = await accepted;
    await expect.poll(() => begun.length).toBe(1);
    const closed = new Promise((close) => near.once('close', close));
    socket.resetAndDestroy();
    await closed;
    begun[0]?.('nobody reads it');
    await othersAreAnswered();
    await listener.close();
    expect(begun).toHaveLength(1);
  });

  it('a connection over which more come than anybody waits for is closed', async () => {
    const answer = text(socket).catch(() => '');
    socket.write(ASK.repeat(1_001));
    await expect.poll(() => begun.length).toBe(1);
    await othersAreAnswered();
    expect(socket.destroyed).toBe(false);
    socket.write(ASK);
    expect(await answer).toBe('');
    expect(begun).toHaveLength(1);
  });
});
