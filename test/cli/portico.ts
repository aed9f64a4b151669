// Runs one command line in a process of its own, as an operator would.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** `env` is the whole of the environment besides PATH. */
export function portico(env: Record<string, string>, ...words: string[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['src/main.ts', ...words], {
      cwd: root,
      env: { PATH: process.env.PATH, ...env },
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
