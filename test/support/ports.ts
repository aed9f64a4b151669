// TCP on the loopback interface: ports nobody listens on, and waiting until somebody does.

import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const HOST = '127.0.0.1';

// Below the range from which systems take the ports of outgoing connections: there, one of those could be in the way
// of a restart, or even connect to itself. Above 10080, the highest port that `fetch` and browsers refuse to ask.
const LOWEST = 10_081;
const RANGE = 11_900;
/** A Redis Cluster node talks to the others at a port this much above its own. */
const BUS = 10_000;

// In turn, and each process from a place of its own: no port is given twice while its server is yet to start, or was killed
// and will come back.
let next = (process.pid * 97) % RANGE;

/** A port of which the one that a Cluster node would use besides is free as well. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + next;
    next = (next + 1) % RANGE;
    if ((await isFree(port)) && (await isFree(port + BUS))) return port;
  }
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
