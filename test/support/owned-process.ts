// Test support: a server process that does not outlive the tests, even if they are killed.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { until } from '#test/support/ports.ts';
import { isRunning, START_MS } from '#test/support/started.ts';

/** The user to run as. */
export interface User {
  uid: number;
  gid: number;
}

// Waits for the end of its input, which comes when this process ends, even by SIGKILL; then stops the server of the
// file `pid` and its children, and removes the directory.
const WATCHDOG = `trap '' INT TERM HUP
cat >/dev/null
main=$(cat "$0/pid" 2>/dev/null) && {
  family=$(ps -A -o pid= -o ppid= | awk -v m="$main" '$1 == m || $2 == m { print $1 }')
  kill -INT "$main"; kill -CONT $family
  for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$main" || break; sleep 0.1; done
  kill -9 "$main" $family
} 2>/dev/null
rm -rf "$0"`;

/** A server that has not stopped within this time is killed. */
const STOP_MS = 20_000;

export class OwnedProcess {
  /** A temporary directory, removed by `stop`. */
  readonly directory: string;
  readonly #user: User | undefined;
  readonly #watchdog: ChildProcess;
  #child: ChildProcess | undefined;

  constructor(user?: User) {
    this.directory = mkdtempSync(join(tmpdir(), 'portico-test-'));
    if (user) chownSync(this.directory, user.uid, user.gid);
    this.#user = user;
    this.#watchdog = spawn('sh', ['-c', WATCHDOG, this.directory], { stdio: ['pipe', 'ignore', 'ignore'] });
    this.#watchdog.unref();
    (this.#watchdog.stdin as unknown as { unref?: () => void })?.unref?.();
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get running(): boolean {
    return this.#child !== undefined && isRunning(this.#child);
  }

  get log(): string {
    return readFileSync(join(this.directory, 'log'), 'utf8');
  }

  start(command: string, args: string[]): void {
    const log = openSync(join(this.directory, 'log'), 'a');
    this.#child = spawn(command, args, { stdio: ['ignore', log, log], cwd: this.directory, ...this.#user });
    this.#child.on('error', (error) => writeFileSync(join(this.directory, 'log'), `${error}`));
    this.#child.unref();
    writeFileSync(join(this.directory, 'pid'), `${this.#child.pid}`);
  }

  /** Waits until the process is `ready`. If it ends or takes too long, stops it and throws an error with its log. */
  async started(ready: () => Promise<boolean>, patienceMs = START_MS): Promise<void> {
    const failure = () => new Error(`the server did not start:\n${this.log}`);
    const readyOrEnded = async () => {
      if (this.running) return ready();
      // The error of a program that could not be started is emitted on the next turn of the event loop.
      await setImmediate();
      throw failure();
    };
    await until(readyOrEnded, patienceMs, failure).catch(async (error: unknown) => {
      await this.stop();
      throw error;
    });
  }

  /** Signals the process, and with `family` its children, too. */
  signal(name: NodeJS.Signals, family: boolean): void {
    for (const pid of family ? [this.pid, ...childrenOf(this.pid)] : [this.pid]) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended.
      }
    }
  }

  async kill(): Promise<void> {
    await this.#end(() => this.signal('SIGKILL', true));
  }

  /** Stops the process and removes its directory. */
  async stop(): Promise<void> {
    const hangs = setTimeout(() => this.signal('SIGKILL', true), STOP_MS);
    await this.#end(() => {
      this.signal('SIGCONT', true);
      this.signal('SIGINT', false);
    });
    clearTimeout(hangs);
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
    this.#watchdog.stdin?.end();
  }

  async #end(signal: () => void): Promise<void> {
    if (!this.running || !this.#child) return;
    this.#child.ref();
    const exited = once(this.#child, 'exit');
    signal();
    await exited;
  }
}

function childrenOf(parent: number): number[] {
  try {
    return readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  } catch {
    const rows = execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid='], { encoding: 'utf8' }).trim().split('\n');
    const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
    return pairs.filter(([, ppid]) => ppid === parent).map(([pid]) => pid ?? 0);
  }
}
