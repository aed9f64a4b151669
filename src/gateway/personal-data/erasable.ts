// Gateway: what every erasure is told, and asks before.
import type { Actor } from '#core/actor.ts';
import { Refusal } from '#core/errors.ts';
import type { Sql } from '#database/database.ts';
import type { ErasablePerson } from '#repositories/personal-data/client-traces.ts';
import { findErasure } from '#repositories/personal-data/erased-subjects.ts';

export interface ErasureSettings {
  /** Origin of the deployment; null where its configuration names none. */
  portalUrl: string | null;
  /** For how many days partners may learn of the removals. */
  noticeDays: number;
}

export interface ErasureRequest {
  id: string;
  reason: string;
  actor: Actor;
}

/** Throws Refusal `invalid_transition` where it was done already. */
export async function requireNew(sql: Sql, id: string): Promise<void> {
  const done = await findErasure(sql, id);
  if (done === null) return;
  throw new Refusal('invalid_transition', { message: `${id} was erased at ${done.erasedAt} already.` });
}

/** It is kept, and the person is not to be found in it. Throws Refusal `invalid_parameter`. */
export function requireNeutral(reason: string, { email, name }: ErasablePerson, actor: Actor): string {
  // The system says the same of everybody.
  if (actor.kind === 'system') return reason;
  const said = reason.toLowerCase();
  if (!said.includes(email) && !isNamed(name.trim().toLowerCase(), said)) return reason;
  const message = 'The reason is kept: it must name neither the person nor the e-mail address.';
  throw new Refusal('invalid_parameter', { param: 'reason', message });
}

/** A name of few letters may be in any word; scripts other than ours do not part words. */
const isNamed = (name: string, text: string): boolean =>
  name !== '' && new RegExp(`(?<!\\p{Script=Latin})${RegExp.escape(name)}(?!\\p{Script=Latin})`, 'u').test(text);
