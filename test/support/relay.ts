// Test support: a TCP relay between a gateway and a server, which a test can cut, block, slow down or redirect.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay {
  port: number;
  /** The URL of the server through the relay. */
  url: string;
  /** Resets all connections, and new ones at once, until `mend`. */
  cut(): void;
  /** Silently forwards nothing, like a firewall that drops packets, until `mend`. */
  block(): void;
  /** Delays data in each direction, until `mend`. */
  slow(milliseconds: number): void;
  mend(): void;
  /** Redirects new connections to this port; resets the existing ones. */
  leadTo(port: number): void;
  stop(): Promise<void>;
}

/** `halfClosed`: connections that the gateway closes stay open at the server. */
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
      // New data would overtake delayed data.
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
