// Bench: CPU time of processes in nanoseconds, from the scheduler's accounting.
import { readdirSync, readFileSync } from 'node:fs';
import { childrenOf } from './servers.ts';

/**
 * CPU seconds of all threads of the process. Linux has this precision only per thread; coarser values do not suit short
 * slices.
 */
export function cpuSeconds(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]);
  }
  return nanoseconds / 1e9;
}

/** Resident memory in MB. */
export function residentMb(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

const TICKS_PER_SECOND = 100;

/** CPU of a server and all of its child processes, including ended ones. */
export class FamilyClock {
  readonly #pid: number;
  readonly #seen = new Map<number, number>();

  constructor(pid: number) {
    this.#pid = pid;
    this.lap();
  }

  /** Seconds since the last lap. */
  lap(): number {
    let seconds = 0;
    const alive = new Map<number, number>();
    for (const pid of [this.#pid, ...childrenOf(this.#pid)]) {
      try {
        const now = cpuSeconds(pid);
        alive.set(pid, now);
        seconds += now - (this.#seen.get(pid) ?? 0);
      } catch {
        // It ended between listing and reading. Its time is in the parent's account.
      }
    }
    let ended = this.#endedChildren();
    const before = ended;
    ended -= this.#endedBefore;
    this.#endedBefore = before;
    // The part that an ended child had used before this lap was counted earlier.
    for (const [pid, used] of this.#seen) if (!alive.has(pid)) ended -= used;
    this.#seen.clear();
    for (const [pid, used] of alive) this.#seen.set(pid, used);
    return seconds + Math.max(0, ended);
  }

  #endedBefore = 0;

  /** Seconds of children that were waited for (fields cutime and cstime, in ticks). */
  #endedChildren(): number {
    const text = readFileSync(`/proc/${this.#pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  }
}
