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
  type AdmissionAsked,
  isActive,
  readAdmissions,
} from '#repositories/admission/admission.ts';
import { type ChangeQuestion, readChanges, readHorizon } from '#repositories/admission/change-log.ts';

const MAX_KNOWN = 10_000;
/** Total characters of cached filters, which may list thousands of items. */
const MAX_FILTER_CHARACTERS = 4_000_000;

/** A cached value made from a portfolio in the state of `seen`. */
export interface MadeOfPortfolio {
  seen: DatabaseSnapshot;
}

export interface AdmissionRequest<Made extends MadeOfPortfolio> {
  /** Hash of the secret, or id of the key. */
  key: Buffer | string;
  clientId: string | null;
  /** Whether a sync horizon is needed. */
  horizon?: boolean;
  /** Finds a cached value for the view of this admission. The database is asked whether it is still valid. */
  made?: (admission: ActiveAdmission) => Made | undefined;
  /** Times of the request. */
  times?: StageTimes;
}

export interface FoundAdmission<Made extends MadeOfPortfolio> {
  admission: Admission;
  /** The moment of the database at which admission and `made` are valid. */
  moment: Moment;
  horizon: string | null;
  /** The cached value, where nothing of the portfolio has changed since. */
  made: Made | null;
}

export type Admit = <Made extends MadeOfPortfolio = never>(
  request: AdmissionRequest<Made>,
) => Promise<FoundAdmission<Made> | null>;

/** An admission that admitted a partner, and the snapshot in which it was last valid. */
interface KnownAdmission {
  admission: ActiveAdmission;
  seen: DatabaseSnapshot;
}

/**
 * Reads admissions from the database. Where the same key was admitted to the same client before, it only asks whether
 * anything relevant has changed since. Either way the answer comes from the database, after the request. Only
 * admissions that admit a partner are cached.
 */
export function openAdmissions(database: Database): Admit {
  const read = (asked: readonly AdmissionAsked[]) => readAdmissions(database, asked);
  const [readByHash, readById] = [batched(read), batched(read)];
  const ask = batched((questions: readonly ChangeQuestion[]) => readChanges(database, questions));
  const known = new LRUCache<string, KnownAdmission>({
    max: MAX_KNOWN,
    maxSize: MAX_FILTER_CHARACTERS,
    sizeCalculation: ({ admission }) => JSON.stringify(admission.grant.filter).length,
  });

  /** Null where the admission is no longer valid. */
  async function confirm<Made extends MadeOfPortfolio>(
    entry: KnownAdmission,
    { horizon = false, made: find, times }: AdmissionRequest<Made>,
  ): Promise<FoundAdmission<Made> | null> {
    const { admission } = entry;
    const made = find?.(admission);
    const asked = ask({
      ...{ keyId: admission.key.id, firmId: admission.key.firmId, clientId: admission.client.id },
      ...{ admission: entry.seen, portfolio: made?.seen ?? null, horizon },
    });
    const answer = await (times?.statement('changes', asked) ?? asked);
    const { moment } = answer;
    if (!answer.admissionUnchanged || moment.instant >= (admission.endsAt ?? Number.POSITIVE_INFINITY)) return null;
    entry.seen = moment.snapshot;
    const holds = made !== undefined && answer.portfolioUnchanged;
    if (holds) made.seen = moment.snapshot;
    return { admission, moment, horizon: answer.horizon, made: holds ? made : null };
  }

  return async (request) => {
    const { key, horizon = false, made, times } = request;
    const clientId = request.clientId !== null && isId('user', request.clientId) ? request.clientId : null;
    const note = <Result>(what: string, asked: Promise<Result>) => times?.statement(what, asked) ?? asked;
    const isKeyId = typeof key === 'string';
    const name = `${isKeyId ? key : key.toString('latin1')}${clientId}`;
    const entry = known.get(name);
    const confirmed = entry === undefined ? null : await confirm(entry, request);
    if (confirmed !== null) return confirmed;

    // The horizon is read before the admission, so that the admission sees views that change meanwhile.
    const at = horizon ? await note('horizon', readHorizon(database)) : null;
    const found = await note('admission', (isKeyId ? readById : readByHash)({ key, clientId }));
    if (found === null || !isActive(found.admission)) {
      known.delete(name);
      return found && { ...found, horizon: at, made: null };
    }
    const fresh = { admission: found.admission, seen: found.moment.snapshot };
    known.set(name, fresh);
    // A value may be cached from a request by another key with the same view.
    const shared = made?.(fresh.admission) === undefined ? null : await confirm(fresh, request);
    return shared ?? { ...found, horizon: at, made: null };
  };
}
