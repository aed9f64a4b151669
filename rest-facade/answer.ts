// REST facade: what a partner is answered, for the handler of the route as for a client's preview.

import type { Disclosure } from '#core/disclosure.ts';
import { Refusal } from '#core/errors.ts';
import type { StageTimes } from '#core/stages.ts';
import type { Partner } from '#gateway/admission/admission.ts';
import type { Executed, PreparedDocument } from '#gateway/execution/execute.ts';
import type { Gateway } from '#gateway/gateway.ts';
import type { Query } from '#versions/change.ts';
import type { ServedVersion } from '#versions/negotiate.ts';
import type { PaginationBody } from './links.ts';
import { readParameters } from './parameters.ts';
import type { Route } from './routes/route.ts';

export interface Asked {
  route: Route;
  document: PreparedDocument;
  version: ServedVersion;
  query: Query;
  /** The registry id of the path, where the route has one. */
  registryId: string | undefined;
  times?: StageTimes;
}

export interface Answered {
  /** The body's exact text. */
  text: string;
  /** Null where the route is not paged. */
  pagination: PaginationBody | null;
  /** Whether only what changed was asked for. */
  delta: boolean;
  /** What it carries of the portfolio. */
  disclosure: Disclosure;
  /** Unix second from which the clock alone makes it another; null where that was not asked. */
  endsAt: number | null;
}

/**
 * Reads the parameters, then takes the partner, then executes: the order in which refusals are given. `now`, the Unix
 * second of the database's clock, is given where the answer's end is wanted. Throws Refusal, which names a parameter as the
 * caller's version does; scopes and asset are the schema's to judge.
 */
export async function answer(gateway: Gateway, asked: Asked, admit: () => Partner, now?: number): Promise<Answered> {
  const { route, document, version, registryId, times } = asked;
  try {
    const variables = readVariables(gateway, asked);
    if (registryId !== undefined) variables.registryId = registryId;
    route.check?.(variables, gateway.cursors);
    const partner = admit();
    const executed = await gateway.execute(document, variables, partner, times);
    const { body, disclosure } = executed;
    const endsAt = now === undefined ? null : endOfValidity(executed, now);
    // Before an older version's changes, which may be made in place.
    const pagination = route.paged ? { ...(body as { pagination: PaginationBody }).pagination } : null;
    const served = version.downgradeResponse(route.operation, route.envelope === 'data' ? { data: body } : body);
    return { text: JSON.stringify(served), pagination, disclosure, delta: variables.delta === true, endsAt };
  } catch (error) {
    throw inCallersWords(error, asked);
  }
}

const DAY_SECONDS = 86_400;

const endOfValidity = ({ endsAt, endsWithDay }: Executed, now: number): number =>
  endsWithDay ? Math.min(endsAt, (Math.floor(now / DAY_SECONDS) + 1) * DAY_SECONDS) : endsAt;

const readVariables = (gateway: Gateway, { route, version, query }: Asked): Record<string, unknown> =>
  readParameters(route.parameters, version.upgradeRequest(route.operation, query), gateway.reference.current());

function inCallersWords(error: unknown, { route, version, query }: Asked): unknown {
  if (!(error instanceof Refusal) || error.param === undefined) return error;
  const param = version.nameOf(route.operation, query, error.param);
  if (param === error.param) return error;
  return new Refusal(error.code, { message: error.message.replace(error.param, param), param });
}
