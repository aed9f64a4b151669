// Risk: a caller that pipelines many requests and reads nothing makes the gateway hold all responses in memory.

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

  it('a request starts after all earlier ones of its connection were answered', async () => {
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
  /** Sends the response of each request that has started. */
  let started: ((text: string) => void)[];
  let socket: Socket;

  beforeEach(async () => {
    started = [];
    listener = createInternalListener({
      gateway: { events: {} } as never,
      tools: () => Promise.reject(new Error('not asked for')),
      database: {} as never,
      metrics: { contentType: 'text/plain', text: () => new Promise((answer) => started.push(answer)) },
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
  /** A request on another connection is answered: earlier requests that do not have to wait have started by then. */
  async function othersAreAnswered(): Promise<void> {
    const other = connect((listener.server.address() as AddressInfo).port, '127.0.0.1');
    other.write(LAST);
    expect(statusesIn(await text(other))).toEqual(['200']);
  }

  it('requests of a connection start one at a time and are answered in order', async () => {
    const answer = text(socket);
    socket.write(ASK.repeat(50) + LAST);
    for (let at = 0; at < 50; at += 1) {
      await expect.poll(() => started.length).toBe(at + 1);
      await othersAreAnswered();
      expect(started.length).toBe(at + 1);
      started[at]?.(`answer ${at};`);
    }
    const responses = await answer;
    expect(statusesIn(responses)).toEqual(Array(51).fill('200'));
    expect([...responses.matchAll(/answer (\d+);/g)].map(([, at]) => Number(at))).toEqual([...started.keys()]);
  });

  it('requests that wait on a connection that closes never start', async () => {
    const accepted = once(listener.server, 'connection') as Promise<[Socket]>;
    socket.write(ASK.repeat(50));
    const [serverSide] = await accepted;
    await expect.poll(() => started.length).toBe(1);
    const closed = new Promise((close) => serverSide.once('close', close));
    socket.resetAndDestroy();
    await closed;
    started[0]?.('nobody reads it');
    await othersAreAnswered();
    await listener.close();
    expect(started).toHaveLength(1);
  });

  it('a connection with more than 1,000 waiting requests is closed', async () => {
    const answer = text(socket).catch(() => '');
    socket.write(ASK.repeat(1_001));
    await expect.poll(() => started.length).toBe(1);
    await othersAreAnswered();
    expect(socket.destroyed).toBe(false);
    socket.write(ASK);
    expect(await answer).toBe('');
    expect(started).toHaveLength(1);
  });
});
