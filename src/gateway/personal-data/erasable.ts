// Gateway: settings and checks common to all erasures.
import type { Actor } from '#core/actor.ts';
import { refuse, refuseParameter } from '#core/errors.ts';
import type { Sql } from '#database/database.ts';
import type { ErasablePerson } from '#repositories/personal-data/client-traces.ts';
import { findErasure } from '#repositories/personal-data/erased-subjects.ts';

export interface ErasureSettings {
  /** Origin of the deployment; null where it is not configured. */
  portalUrl: string | null;
  /** Days in which partners can learn of the removals. */
  noticeDays: number;
}

export interface ErasureRequest {
  id: string;
  reason: string;
  actor: Actor;
}

/** Throws Refusal `invalid_transition` for an id that was erased already. */
export async function requireNew(sql: Sql, id: string): Promise<void> {
  const done = await findErasure(sql, id);
  if (done !== null) refuse('invalid_transition', `${id} was erased at ${done.erasedAt} already.`);
}

/** The reason is stored, so it must not name the person. Throws Refusal `invalid_parameter`. */
export function requireNeutral(reason: string, { email, name }: ErasablePerson, actor: Actor): string {
  // The system's reasons are the same for everybody.
  if (actor.kind === 'system') return reason;
  const said = reason.toLowerCase();
  if (!said.includes(email) && !isNamed(name.trim().toLowerCase(), said)) return reason;
  const message = 'The reason is kept, so it must contain neither the name nor the e-mail address of the person.';
  refuseParameter('reason', message);
}

/** A short name may occur within another word. Scripts other than Latin may not separate words. */
const isNamed = (name: string, text: string): boolean =>
  name !== '' && new RegExp(`(?<!\\p{Script=Latin})${RegExp.escape(name)}(?!\\p{Script=Latin})`, 'u').test(text);
