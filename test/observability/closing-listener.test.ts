// A listener answers requests on open connections while it closes, and binds one address of its host name.

import dns from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { bind, createInternalListener } from '#src/listeners.ts';

type Listener = ReturnType<typeof createInternalListener>;

let listener: Listener;
let socket: Socket | undefined;

beforeEach(() => {
  listener = createInternalListener({
    gateway: { events: {} } as never,
    tools: () => Promise.reject(new Error('not asked for')),
    database: {} as never,
    metrics: { contentType: 'text/plain', text: async () => '' },
    health: { check: async () => ({ ready: true, report: { status: 'ready' } }), stopping: () => {} },
    graphiql: false,
  });
});
afterEach(async () => {
  socket?.destroy();
  await listener.close();
});

it('a closing listener answers /readyz on an open connection', async () => {
  await listener.listen({ host: '127.0.0.1', port: 0 });
  const accepted = once(listener.server, 'connection') as Promise<[Socket]>;
  socket = connect((listener.server.address() as AddressInfo).port, '127.0.0.1');
  const answer = text(socket);
  const head = 'GET /readyz HTTP/1.1\r\nHost: portico\r\n';
  socket.write(head);
  const [serverSide] = await accepted;
  await expect.poll(() => serverSide.bytesRead).toBe(head.length);

  const closed = listener.close();
  await expect.poll(() => listener.server.listening).toBe(false);
  socket.write('\r\n');
  expect(await answer).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*connection: close\r\n/i);
  await closed;
});

it('a host name with several addresses is bound once', async () => {
  // Fastify and its server look names up by this function.
  vi.spyOn(dns, 'lookup').mockImplementation(((host: string, _options: object, tell: (...found: unknown[]) => void) => {
    const addresses = host === 'localhost' ? ['127.0.0.1', '127.0.0.2'] : [host];
    tell(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  }) as never);
  try {
    const port = await bind(listener, 'localhost', 0);
    expect(listener.addresses()).toEqual([{ address: '127.0.0.1', family: 'IPv4', port }]);
  } finally {
    vi.restoreAllMocks();
  }
});
