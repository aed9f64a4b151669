// Runs one command line in a pseudo-terminal.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CHILD_ENVIRONMENT } from '#test/support/child-environment.ts';

export interface Terminal {
  /** The output so far, escape sequences included. */
  shown(): string;
  press(keys: string): void;
  ended: Promise<unknown>;
}

/**
 * `env` is the whole environment apart from CHILD_ENVIRONMENT. `exit code N` and the output of `stty -a` follow the
 * command.
 */
export function terminal(env: Record<string, string>, ...words: string[]): Terminal {
  const quoted = [process.execPath, 'src/main.ts', ...words].map((word) => `'${word}'`).join(' ');
  // The trap keeps the shell alive when Ctrl-C ends the command.
  const command = `trap : INT; stty rows 40 cols 160; ${quoted}; echo "exit code $?"; stty -a`;
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    env: { ...CHILD_ENVIRONMENT, TERM: 'xterm', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown += text;
  });
  return {
    shown: () => shown,
    press: (keys) => child.stdin.write(keys),
    ended: once(child, 'close'),
  };
}
