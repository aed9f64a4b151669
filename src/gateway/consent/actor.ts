// Gateway: a caller as the actor of a recorded event.
import type { Actor } from '#core/actor.ts';
import { Refusal } from '#core/errors.ts';
import type { Principal } from '#core/principal.ts';
import type { Context } from '../execution/context.ts';

/** Throws Refusal `forbidden` for callers that change nothing: partners and plant store accounts. */
export function actorOf(principal: Principal): Actor {
  switch (principal.kind) {
    case 'firm_member':
    case 'client':
    case 'operator':
      return { kind: principal.kind, id: principal.userId };
    case 'service':
      return { kind: 'operator', id: principal.tokenId };
    case 'partner':
    case 'plant_account':
      throw new Refusal('forbidden');
    default:
      return principal satisfies never;
  }
}

/** The id of the calling user. Throws Refusal `forbidden` for other callers. */
export function requireUser({ principal }: Pick<Context, 'principal'>): string {
  if ('userId' in principal) return principal.userId;
  throw new Refusal('forbidden');
}

/** The firm of the calling member. Throws Refusal `forbidden` for other callers. */
export function requireFirm({ principal }: Pick<Context, 'principal'>): string {
  if (principal.kind === 'firm_member') return principal.firmId;
  throw new Refusal('forbidden');
}

/** The id of the calling client. Throws Refusal `forbidden` for other callers. */
export function requireClient({ principal }: Pick<Context, 'principal'>): string {
  if (principal.kind === 'client') return principal.userId;
  throw new Refusal('forbidden');
}
