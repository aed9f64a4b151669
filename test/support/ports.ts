// Test support: free TCP ports on the loopback interface, and waiting until a server listens.

import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const HOST = '127.0.0.1';

/** The cluster bus of a Redis Cluster node has its port plus this. */
const BUS = 10_000;
// Above 10080, the highest port that `fetch` and browsers block. The ports of cluster buses follow, and end below the
// range of ports for outgoing connections: in that range, an outgoing connection could take a server's port during its
// restart, or even connect to itself.
const LOWEST = 10_081;
const RANGE = 9900;

// Each process begins elsewhere, so that few ports are already reserved by others.
let next = (process.pid * 97) % RANGE;

/** A port without a listener, reserved for this process of the tests until it ends. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + next;
    next = (next + 1) % RANGE;
    if ((await reserve(port)) && (await isFree(port)) && (await isFree(port + BUS))) return port;
  }
}

/**
 * Reserves a port until this process ends, even by a signal. The TCP port itself is free until its server listens, and
 * again while a killed server has not restarted. The processes of the tests therefore bind the UDP port of the same
 * number, which none of their servers uses.
 */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: HOST, exclusive: true }, () => resolve(true));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}

/**
 * Whether a server at the port answers `send` with `expected`; with nothing to send, whether it accepts connections.
 */
export function answers(port: number, send = '', expected = ''): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => (send ? socket.write(send) : finish(true)));
    const finish = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(500, () => finish(false));
    socket.on('data', (data) => finish(data.includes(expected)));
    socket.on('error', () => finish(false));
    socket.on('end', () => finish(false));
  });
}

/** Polls until `check` is true; throws `failure()` after the timeout. */
export async function until(check: () => Promise<boolean>, ms: number, failure: () => Error): Promise<void> {
  const end = Date.now() + ms;
  while (!(await check())) {
    if (Date.now() > end) throw failure();
    await sleep(20);
  }
}
