// REST facade: who calls area A, within which limits.
import { Refusal } from '#core/errors.ts';
import type { StageTimes } from '#core/stages.ts';
import { type ActiveAdmission, type Admission, refusedNetwork, requireValidKey } from '#gateway/admission/admission.ts';
import type { FoundAdmission } from '#gateway/admission/admission-cache.ts';
import { requestLimits } from '#gateway/admission/request-limits.ts';
import type { Gateway } from '#gateway/gateway.ts';
import type { Exchange } from '#http/exchange.ts';
import { toRefusal } from '#http/refusals.ts';
import type { CachedResponse, ResponseCache } from '../response-cache.ts';
import type { Route } from '../routes/route.ts';
import type { ParsedRequest } from './parsed-request.ts';

/** A route, with what its requests are answered from. */
export interface RouteService {
  gateway: Gateway;
  responses: ResponseCache;
  route: Route;
}

export type Found = FoundAdmission<CachedResponse>;

/** A caller with a valid key, and either what was found or a refusal because of the key's networks or limits. */
export interface Caller {
  admission: Admission;
  found: Found | Refusal;
}

/**
 * The caller's key, plan, client and grant, within the limits of the key and of its firm. A refusal for callers without
 * a valid key. A key that reached a limit within the last second is checked against the limit first, so that another
 * refusal costs no database query.
 *
 * A caller from a network that the key does not allow counts against its address, like callers without a key, and never
 * against the key: if the secret has leaked, the firm's own calls are not affected.
 */
export async function identify(
  service: RouteService,
  exchange: Exchange,
  parsed: ParsedRequest,
): Promise<Caller | Refusal> {
  const { gateway } = service;
  const address = exchange.clientAddress;
  const recent = recentlyLimitedAdmission(gateway, address, parsed);
  if (recent === null) {
    const refusal = await exchange.refusedByAddress(parsed.key);
    if (refusal !== null) return refusal;
  } else {
    exchange.key = recent.key;
    const refusal = await limit(exchange, recent);
    if (refusal !== null) return { admission: recent, found: refusal };
  }
  const found = await findAdmission(service, exchange.times, parsed).catch(toRefusal);
  if (found instanceof Refusal) {
    exchange.key = null;
    return exchange.countByAddress(found);
  }
  const { admission } = found;
  const wrongNetwork = refusedNetwork(admission, address);
  if (wrongNetwork !== null) {
    const refusal = await exchange.countByAddress(wrongNetwork);
    // A refusal by the address's limit is not attributed to the key's firm.
    if (refusal === wrongNetwork) exchange.key = admission.key;
    return { admission, found: refusal };
  }
  exchange.key = admission.key;
  // It was counted above.
  if (recent !== null) return { admission, found };
  const refusal = await limit(exchange, admission);
  if (refusal === null) return { admission, found };
  const key = parsed.key.toString('latin1');
  for (const name of [key, `${key}${parsed.clientId}`]) gateway.recentlyLimited.set(name, admission);
  return { admission, found: refusal };
}

/**
 * The cached admission of a key that was over its limit; null also where the key may not be used from this address. For
 * another client it contains only the id in the request.
 */
function recentlyLimitedAdmission(
  { recentlyLimited }: Gateway,
  address: string,
  { key, clientId }: ParsedRequest,
): Admission | null {
  if (recentlyLimited.size === 0) return null;
  const text = key.toString('latin1');
  const same = recentlyLimited.get(`${text}${clientId}`);
  const known = same ?? recentlyLimited.get(text);
  if (known === undefined || refusedNetwork(known, address) !== null) return null;
  if (same !== undefined) return same;
  const client = clientId === null ? null : { id: clientId, reportingCurrency: '' };
  return { ...known, client, grant: null };
}

function findAdmission(
  { gateway, responses, route }: RouteService,
  times: StageTimes,
  parsed: ParsedRequest,
): Promise<Found> {
  const { key, clientId, cacheKey } = parsed;
  const findCached = (admission: ActiveAdmission) =>
    cacheKey === null ? undefined : responses.find(admission, cacheKey);
  const request = { key, clientId, horizon: route.stamp === 'horizon', findCached, times };
  return gateway.findAdmission(request).then(requireValidKey);
}

const limit = (exchange: Exchange, { key }: Admission): Promise<Refusal | null> => exchange.limit(requestLimits(key));
