// HAProxy with ops/haproxy/haproxy.cfg, in front of three gateways on this machine.

import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBinary } from '#test/support/binaries.ts';
import { OwnedProcess } from '#test/support/owned-process.ts';
import { answers, freePort } from '#test/support/ports.ts';

const CONFIGURATION = fileURLToPath(new URL('../haproxy/haproxy.cfg', import.meta.url));

export interface Place {
  PORT: string;
  INTERNAL_PORT: string;
}

export interface Balancer {
  url: string;
  /** Names of the gateways that receive requests. */
  ready(): Promise<string[]>;
  stop(): Promise<void>;
}

export async function startBalancer(gateways: readonly Place[]): Promise<Balancer> {
  const program = findBinary('haproxy');
  if (program === undefined) throw new Error('Rehearsals need HAProxy and found none: install haproxy.');
  const port = await freePort();
  const owned = new OwnedProcess();
  const admin = join(owned.directory, 'admin.sock');
  const places = gateways.flatMap(({ PORT, INTERNAL_PORT }, index) => [
    `GATEWAY_${index + 1}=127.0.0.1:${PORT}`,
    `CHECK_${index + 1}=${INTERNAL_PORT}`,
  ]);
  owned.start('env', [`BIND=127.0.0.1:${port}`, `ADMIN=${admin}`, ...places, program, '-db', '-f', CONFIGURATION]);
  await owned.started(() => answers(port));
  return {
    url: `http://127.0.0.1:${port}`,
    async ready() {
      const rows = (await ask(admin, 'show stat')).split('\n').map((line) => line.split(','));
      const status = rows[0]?.indexOf('status') ?? -1;
      return rows.flatMap((row) =>
        row[0] === 'ready' && row[1]?.startsWith('gateway-') && row[status]?.startsWith('UP') ? [row[1]] : [],
      );
    },
    stop: () => owned.stop(),
  };
}

async function ask(path: string, command: string): Promise<string> {
  const socket = connect(path);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  socket.end(`${command}\n`);
  await once(socket, 'end');
  return text;
}
