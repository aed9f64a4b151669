// TCP on the loopback interface: ports nobody listens on, and waiting until somebody does.

import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const HOST = '127.0.0.1';

/** A Redis Cluster node talks to the others at a port this much above its own. */
const BUS = 10_000;
// Above 10080, the highest port that `fetch` and browsers refuse to ask. The ports of cluster buses are above all of
// these, and end below the range from which systems take the ports of outgoing connections: there, one of those could be
// in the way of a restart, or even connect to itself.
const LOWEST = 10_081;
const RANGE = 9900;

// Each process begins elsewhere, so that it seldom meets what others have reserved.
let next = (process.pid * 97) % RANGE;

/** A port that nobody listens on, given to no other process of the tests while this one lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + next;
    next = (next + 1) % RANGE;
    if ((await reserve(port)) && (await isFree(port)) && (await isFree(port + BUS))) return port;
  }
}

/**
 * Reserves a port until this process ends, however it ends. Between the moment when a port is found free and the one when
 * its server listens there, as after a server was killed that will come back, it is free for everybody: what processes
 * exclude each other by is the UDP port of the same number, which no server of the tests uses.
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

/** Whether something at the port answers `send` with `expected`; with nothing to send, whether it accepts at all. */
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

/** Polls until `check` holds; throws `failure()` when it does not in time. */
export async function until(check: () => Promise<boolean>, ms: number, failure: () => Error): Promise<void> {
  const end = Date.now() + ms;
  while (!(await check())) {
    if (Date.now() > end) throw failure();
    await sleep(20);
  }
}
