// Bench, hand-written gateways: key, limit, plan and grant, read for every request and checked in the contract's order.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken } from '../../../src/auth/bearer.ts';
import { readKeySecret, readToken } from '../../../src/auth/key-format.ts';
import { scopesOf } from '../../../src/core/scopes.ts';
import { TIER_LIMITS } from '../../../src/core/tiers.ts';
import type { House } from './house.ts';
import { applyLimit, Refused, VERSION } from './http.ts';
import type { Admitted, Store, View } from './store.ts';

/** The parts that admission needs. */
export interface Door {
  house: House;
  store: Pick<Store, 'admit'>;
  /** Whether the limit is checked concurrently with the data instead of before. */
  limitBeside: boolean;
}

export interface Desk extends Door {
  store: Store;
}

/** Keys whose last request was refused: the next one probably is, too, and should not cost the data query. */
const refusedLast = new Set<string>();

/** Admits the caller to the client's view and runs the work. Throws Refused. */
export async function admitted<Result>(
  { house, store, limitBeside }: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  withHorizon: boolean,
  work: (view: View) => Promise<Result>,
): Promise<Result> {
  const secret = readKeySecret(bearerToken(request.headers.authorization) ?? '');
  const { client_id } = request.query as { client_id: string };
  const found = secret === null ? null : await store.admit(secret.hash, client_id, withHorizon);
  if (found === null || found.revoked) return refuseUnauthenticated(house, request, reply, 'invalid_api_key');
  if (found.expired) return refuseUnauthenticated(house, request, reply, 'expired_api_key');
  const allowance = house.limiter.take(`key:${found.lineageId}`, TIER_LIMITS[found.tier]);
  const settle = async () => {
    const { admitted } = await allowance;
    if (admitted) refusedLast.delete(found.lineageId);
    else refusedLast.add(found.lineageId);
    applyLimit(reply, 'key', await allowance);
  };
  if (!limitBeside || refusedLast.has(found.lineageId)) {
    await settle();
    return work(viewOf(found, request));
  }
  // The limit takes precedence: a result or error of the work counts only after it.
  const result = Promise.try(() => work(viewOf(found, request)));
  result.catch(() => {});
  await settle();
  return result;
}

async function refuseUnauthenticated(
  { limiter }: House,
  request: FastifyRequest,
  reply: FastifyReply,
  code: 'invalid_api_key' | 'expired_api_key',
): Promise<never> {
  applyLimit(reply, 'address', await limiter.take(`address:${request.ip}`, TIER_LIMITS.sandbox));
  throw new Refused(code);
}

function viewOf(found: Admitted, request: FastifyRequest): View {
  const version = request.headers['x-service-version'];
  if (version === undefined || version === '') throw new Refused('missing_version');
  if (version !== VERSION) throw new Refused('unsupported_version');
  const { grant, clientId, currency, keyScopes, horizon } = found;
  if (!found.planActive) throw new Refused('plan_inactive');
  if (grant === null || clientId === null) throw new Refused('no_active_grant');
  if (grant.status === 'revoked') throw new Refused('grant_revoked');
  if (grant.expired || grant.status === 'expired') throw new Refused('grant_expired');
  const scopes = new Set(scopesOf(keyScopes & grant.scopes));
  if (scopes.size === 0) throw new Refused('insufficient_scope');
  return { clientId, currency, scopes, filter: grant.filter, changedAt: grant.changedAt, horizon: horizon ?? '' };
}

const PLANTS_PER_MINUTE = 1_000;

export async function plantAccount({ house, store }: Desk, request: FastifyRequest, reply: FastifyReply) {
  const hash = readToken('plant', bearerToken(request.headers.authorization) ?? '');
  const token = hash === null ? null : await store.plantAccount(hash);
  if (token === null) {
    const allowance = await house.limiter.take(`plants-address:${request.ip}`, PLANTS_PER_MINUTE);
    applyLimit(reply, 'address', allowance);
    throw new Refused('invalid_access_token');
  }
  applyLimit(reply, 'token', await house.limiter.take(`plants:${token.id}`, PLANTS_PER_MINUTE));
  return token.account;
}
