// Free ports for servers of tests.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

const TAKE_PORTS = `
  const { freePort } = await import(${JSON.stringify(new URL('./ports.ts', import.meta.url).href)});
  const ports = [];
  for (let i = 0; i < 150; i++) ports.push(await freePort());
  console.log(JSON.stringify(ports));
  // The ports are reserved until the process ends.
  process.stdin.resume();
`;

it('no two processes get the same port', async () => {
  // Each process takes 150 ports, but consecutive process ids begin only 97 ports apart.
  const children = Array.from({ length: 4 }, () => {
    const started = run(process.execPath, ['--input-type=module', '--eval', TAKE_PORTS]);
    const output = new Promise<number[]>((resolve) =>
      started.child.stdout?.once('data', (line) => resolve(JSON.parse(line))),
    );
    return { started, output };
  });
  const ports = (await Promise.all(children.map(({ output }) => output))).flat();
  for (const { started } of children) started.child.stdin?.end();
  await Promise.all(children.map(({ started }) => started));
  expect(new Set(ports).size).toBe(600);
});
