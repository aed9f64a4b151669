// Test support: promtool, which checks metrics and rules.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from './binaries.ts';

/** Runs `promtool` with `input` on its standard input. Throws if it is not installed. */
export function promtool(args: string[], input?: string): { code: number | null; output: string } {
  const binary = findBinary('promtool');
  if (binary === undefined)
    throw new Error('this needs promtool and found none: install the Debian package "prometheus"');
  const { status, stdout, stderr, error } = spawnSync(binary, args, { input, encoding: 'utf8' });
  if (error !== undefined) throw error;
  return { code: status, output: `${stdout}${stderr}` };
}

/** Checks the text of a rule file. */
export function checkRules(text: string): ReturnType<typeof promtool> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-rules-'));
  try {
    writeFileSync(join(directory, 'rules.json'), text);
    return promtool(['check', 'rules', join(directory, 'rules.json')]);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
