// Command line: the actor recorded for commands.
import { userInfo } from 'node:os';
import type { Actor } from '#core/actor.ts';

/** The person at the terminal, by their user name. */
export function operator(): Actor {
  try {
    return { kind: 'operator', id: userInfo().username };
  } catch {
    // A container may run as a user without a name.
    return { kind: 'operator', id: `uid-${process.getuid?.() ?? 'unknown'}` };
  }
}
