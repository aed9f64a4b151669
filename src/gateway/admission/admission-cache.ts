// Gateway: admissions from the database, with a cache of earlier ones.
import { LRUCache } from 'lru-cache';
import { isId } from '#core/ids.ts';
import type { StageTimes } from '#core/stages.ts';
import { batched } from '#database/batched-statement.ts';
import type { Database } from '#database/database.ts';
import type { DatabaseSnapshot, Moment } from '#database/snapshot.ts';
import {
  type ActiveAdmission,
  type Admission,
  type AdmissionLookup,
  isActive,
  readAdmissions,
} from '#repositories/admission/admission.ts';
import { type ChangeQuestion, readChanges, readHorizon } from '#repositories/admission/change-log.ts';

const MAX_CACHED = 10_000;
/** Total characters of cached filters, which may list thousands of items. */
const MAX_FILTER_CHARACTERS = 4_000_000;

/** A cached value made from a portfolio in the state of `validAsOf`. */
export interface PortfolioValue {
  validAsOf: DatabaseSnapshot;
}

export interface AdmissionRequest<Value extends PortfolioValue> {
  /** Hash of the secret, or id of the key. */
  key: Buffer | string;
  clientId: string | null;
  /** Whether a sync horizon is needed. */
  horizon?: boolean;
  /** Finds a cached value for the view of this admission. The database is asked whether it is still valid. */
  findCached?: (admission: ActiveAdmission) => Value | undefined;
  /** Times of the request. */
  times?: StageTimes;
}

export interface FoundAdmission<Value extends PortfolioValue> {
  admission: Admission;
  /** The moment of the database at which admission and `cached` are valid. */
  moment: Moment;
  horizon: string | null;
  /** The cached value, where nothing of the portfolio has changed since. */
  cached: Value | null;
}

export type FindAdmission = <Value extends PortfolioValue = never>(
  request: AdmissionRequest<Value>,
) => Promise<FoundAdmission<Value> | null>;

/** An admission that admitted a partner, and the snapshot in which it was last valid. */
interface CachedAdmission {
  admission: ActiveAdmission;
  validAsOf: DatabaseSnapshot;
}

/**
 * Reads admissions from the database. Where the same key was admitted to the same client before, it only asks whether
 * anything relevant has changed since. Either way the answer comes from the database, after the request. Only
 * admissions that admit a partner are cached.
 */
export function openAdmissions(database: Database): FindAdmission {
  const read = (keys: readonly AdmissionLookup[]) => readAdmissions(database, keys);
  const [readByHash, readById] = [batched(read), batched(read)];
  const ask = batched((questions: readonly ChangeQuestion[]) => readChanges(database, questions));
  const cache = new LRUCache<string, CachedAdmission>({
    max: MAX_CACHED,
    maxSize: MAX_FILTER_CHARACTERS,
    sizeCalculation: ({ admission }) => JSON.stringify(admission.grant.filter).length,
  });

  /** Null where the admission is no longer valid. */
  async function confirm<Value extends PortfolioValue>(
    entry: CachedAdmission,
    { horizon = false, findCached: find, times }: AdmissionRequest<Value>,
  ): Promise<FoundAdmission<Value> | null> {
    const { admission } = entry;
    const cached = find?.(admission);
    const pending = ask({
      ...{ keyId: admission.key.id, firmId: admission.key.firmId, clientId: admission.client.id },
      ...{ admission: entry.validAsOf, portfolio: cached?.validAsOf ?? null, horizon },
    });
    const answer = await (times?.statement('changes', pending) ?? pending);
    const { moment } = answer;
    if (!answer.admissionUnchanged || moment.instant >= (admission.endsAt ?? Number.POSITIVE_INFINITY)) return null;
    entry.validAsOf = moment.snapshot;
    const isValid = cached !== undefined && answer.portfolioUnchanged;
    if (isValid) cached.validAsOf = moment.snapshot;
    return { admission, moment, horizon: answer.horizon, cached: isValid ? cached : null };
  }

  return async (request) => {
    const { key, horizon = false, findCached, times } = request;
    const clientId = request.clientId !== null && isId('user', request.clientId) ? request.clientId : null;
    const timed = <Result>(what: string, pending: Promise<Result>) => times?.statement(what, pending) ?? pending;
    const isKeyId = typeof key === 'string';
    const name = `${isKeyId ? key : key.toString('latin1')}${clientId}`;
    const entry = cache.get(name);
    const confirmed = entry === undefined ? null : await confirm(entry, request);
    if (confirmed !== null) return confirmed;

    // The horizon is read before the admission, so that the admission sees views that change meanwhile.
    const at = horizon ? await timed('horizon', readHorizon(database)) : null;
    const found = await timed('admission', (isKeyId ? readById : readByHash)({ key, clientId }));
    if (found === null || !isActive(found.admission)) {
      cache.delete(name);
      return found && { ...found, horizon: at, cached: null };
    }
    const fresh = { admission: found.admission, validAsOf: found.moment.snapshot };
    cache.set(name, fresh);
    // A value may be cached from a request by another key of the firm with the same view.
    const shared = findCached?.(fresh.admission) === undefined ? null : await confirm(fresh, request);
    return shared ?? { ...found, horizon: at, cached: null };
  };
}
