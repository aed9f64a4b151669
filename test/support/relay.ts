// Test support: a place on the network between a gateway and a server, which a test may cut, block or lead elsewhere.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay {
  port: number;
  /** The server's URL, by way of the relay. */
  url: string;
  /** Resets every connection, and each new one at once, until mended. */
  cut(): void;
  /** Lets nothing through, in silence, as a firewall would that has forgotten its connections, until mended. */
  block(): void;
  /** Everything takes so much longer, each way, until mended. */
  slow(milliseconds: number): void;
  mend(): void;
  /** Where connections go from now on; those that are there are reset. */
  leadTo(port: number): void;
  stop(): Promise<void>;
}

/** `halfClosed`: the server does not hear of connections that the gateway closes. */
export async function startRelay(url: string, { halfClosed = false } = {}): Promise<Relay> {
  const target = new URL(url);
  let port = Number(target.port);
  let state: 'open' | 'cut' | 'blocked' = 'open';
  let delay = 0;
  const pairs = new Set<[Socket, Socket]>();
  const reset = () => {
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
  };
  const server = createServer((near) => {
    near.on('error', () => {});
    if (state === 'cut') return near.resetAndDestroy();
    const far = connect(port, '127.0.0.1');
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    far.on('error', () => near.resetAndDestroy());
    const lead = (from: Socket, to: Socket) =>
      from.on('data', (bytes) => (delay === 0 ? to.write(bytes) : setTimeout(() => to.write(bytes), delay)));
    lead(near, far);
    lead(far, near);
    far.on('close', () => {
      near.destroy();
      pairs.delete(pair);
    });
    near.on('close', () => !halfClosed && far.destroy());
    if (state === 'blocked') for (const socket of pair) socket.pause();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const own = (server.address() as AddressInfo).port;
  target.port = `${own}`;
  return {
    port: own,
    url: target.href,
    cut() {
      state = 'cut';
      reset();
    },
    block() {
      state = 'blocked';
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    slow(milliseconds) {
      delay = milliseconds;
    },
    mend() {
      state = 'open';
      // What comes later would overtake what is under way.
      if (delay > 0) reset();
      delay = 0;
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    leadTo(other) {
      port = other;
      reset();
    },
    async stop() {
      reset();
      server.close();
      await once(server, 'close');
    },
  };
}
