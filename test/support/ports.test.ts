import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

const TAKES = `
  const { freePort } = await import(${JSON.stringify(new URL('./ports.ts', import.meta.url).href)});
  const ports = [];
  for (let i = 0; i < 150; i++) ports.push(await freePort());
  console.log(JSON.stringify(ports));
  // Its ports are reserved until it ends.
  process.stdin.resume();
`;

it('no two processes are given the same port', async () => {
  // The places where they begin are 97 ports apart where they start one after the other.
  const children = Array.from({ length: 4 }, () => {
    const started = run(process.execPath, ['--input-type=module', '--eval', TAKES]);
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
