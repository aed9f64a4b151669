// ops/systemd/portico.service: read and judged by systemd itself.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, it } from 'vitest';
import { findBinary } from '#test/support/binaries.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const unit = readFileSync(join(root, 'ops/systemd/portico.service'), 'utf8');
/** Of ten points of exposure; the sandbox that is described by the unit has 1.3 with systemd 252. */
const MOST_EXPOSURE = 20;

function analyse(text: string, ...words: string[]): string {
  const program = findBinary('systemd-analyze');
  if (program === undefined) throw new Error('The tests need systemd-analyze and found none: install systemd.');
  const directory = mkdtempSync(join(inject('directory'), 'systemd-'));
  const file = join(directory, 'portico.service');
  // The programs that it starts are looked for: here they are in this folder, whose own path may have spaces.
  symlinkSync(root, join(directory, 'opt'));
  writeFileSync(file, text.replaceAll('/opt/portico/', `${directory}/opt/`));
  try {
    return execFileSync(program, [...words, file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${stdout}${stderr}`);
  }
}

it('is sound', () => {
  analyse(unit, 'verify');
});

it('a fault would be noticed', () => {
  expect(() => analyse(unit.replace('/bin/kill', '/no/such/program'), 'verify')).toThrow('/no/such/program');
});

it('is hardened', () => {
  analyse(unit, 'security', '--offline=true', '--no-pager', `--threshold=${MOST_EXPOSURE}`);
  expect(() => analyse('[Service]\nExecStart=/bin/true\n', 'security', '--offline=true', '--threshold=20')).toThrow();
});

it('starts the server without a shell or npm in between, and gives it the time it takes to end', () => {
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
  expect(value('ExecStart')).toMatch(
    /^\/opt\/portico\/node_modules\/node\/bin\/node \/opt\/portico\/src\/main.ts serve /,
  );
  expect(value('KillSignal')).toBe('SIGTERM');
  expect(Number.parseInt(value('TimeoutStopSec') ?? '', 10)).toBeGreaterThan(25);
});
