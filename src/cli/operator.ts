// Command line: who the records name for what is done here.
import { userInfo } from 'node:os';
import type { Actor } from '#core/actor.ts';

/** The person at the terminal, by the name the system knows them by. */
export function operator(): Actor {
  try {
    return { kind: 'operator', id: userInfo().username };
  } catch {
    // A container may run as a user without a name.
    return { kind: 'operator', id: `uid-${process.getuid?.() ?? 'unknown'}` };
  }
}
