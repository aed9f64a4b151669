// ops/systemd/portico.service, checked by systemd-analyze.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, it } from 'vitest';
import { findBinary } from '#test/support/binaries.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const unit = readFileSync(join(root, 'ops/systemd/portico.service'), 'utf8');
/** The threshold of systemd-analyze, in tenths of a point of ten; the unit has 1.3 points with systemd 252. */
const MOST_EXPOSURE = 20;

function analyse(text: string, ...words: string[]): string {
  const program = findBinary('systemd-analyze');
  if (program === undefined) throw new Error('The tests need systemd-analyze and found none: install systemd.');
  const directory = mkdtempSync(join(inject('directory'), 'systemd-'));
  const file = join(directory, 'portico.service');
  // systemd-analyze checks that the programs exist. The link is without the spaces that `root` may contain.
  symlinkSync(root, join(directory, 'opt'));
  writeFileSync(file, text.replaceAll('/opt/portico/', `${directory}/opt/`));
  try {
    return execFileSync(program, [...words, file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${stdout}${stderr}`);
  }
}

it('is valid', () => {
  analyse(unit, 'verify');
});

it('a missing program is reported', () => {
  expect(() => analyse(unit.replace('/bin/kill', '/no/such/program'), 'verify')).toThrow('/no/such/program');
});

it('has a low exposure', () => {
  analyse(unit, 'security', '--offline=true', '--no-pager', `--threshold=${MOST_EXPOSURE}`);
  expect(() => analyse('[Service]\nExecStart=/bin/true\n', 'security', '--offline=true', '--threshold=20')).toThrow();
});

it('starts the server without a shell or npm, and gives it time to stop', () => {
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
  expect(value('ExecStart')).toMatch(
    /^\/opt\/portico\/node_modules\/node\/bin\/node \/opt\/portico\/src\/main.ts serve /,
  );
  expect(value('KillSignal')).toBe('SIGTERM');
  expect(Number.parseInt(value('TimeoutStopSec') ?? '', 10)).toBeGreaterThan(25);
});

it('tries to start the server until the database is there', () => {
  expect(unit).toMatch(/^Restart=on-failure$/m);
  // In this section alone systemd reads it.
  expect(unit.split('[Service]')[0]).toMatch(/^StartLimitIntervalSec=0$/m);
});
