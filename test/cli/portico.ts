// Runs one command line: in a process of its own, as an operator would, or in this process, which is many times faster.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { run } from '#cli/program.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child-environment.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** `env` is the whole environment apart from CHILD_ENVIRONMENT. */
export function portico(env: Record<string, string>, ...words: string[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['src/main.ts', ...words], {
      cwd: root,
      env: { ...CHILD_ENVIRONMENT, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const outcome: Outcome = { code: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => {
      outcome.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      outcome.stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...outcome, code }));
  });
}

/**
 * Runs the command in this process, also a `serve` that is to be refused. One at a time: two would share the output.
 */
export async function runHere(env: Record<string, string>, ...words: string[]): Promise<Outcome> {
  const outcome: Outcome = { code: null, stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      outcome[stream] += text;
      return true;
    }),
  );
  const listeners = (['SIGTERM', 'SIGINT'] as const).map((name) => ({ name, before: process.listeners(name) }));
  try {
    outcome.code = await run(words, env);
    return outcome;
  } finally {
    for (const spy of spies) spy.mockRestore();
    // Those of `serve` would end the tests with its exit code.
    for (const { name, before } of listeners)
      for (const listener of process.listeners(name)) if (!before.includes(listener)) process.off(name, listener);
  }
}
