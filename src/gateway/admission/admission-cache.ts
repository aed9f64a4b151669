// Gateway: asking the database for admissions, with what is known of earlier ones.
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
/** Characters of their filters, which may list thousands of items. */
const MAX_FILTER_CHARACTERS = 4_000_000;

/** Something made of a portfolio as it was when `seen` was. */
export interface MadeOfPortfolio {
  seen: DatabaseSnapshot;
}

export interface AdmissionRequest<Made extends MadeOfPortfolio> {
  /** The secret's hash, or the key's id. */
  key: Buffer | string;
  clientId: string | null;
  /** Whether the answer is to carry a sync horizon. */
  horizon?: boolean;
  /** What was made before for the view of this admission, if anything: the database is asked whether it still holds. */
  made?: (admission: ActiveAdmission) => Made | undefined;
  /** Of the request that asks. */
  times?: StageTimes;
}

export interface FoundAdmission<Made extends MadeOfPortfolio> {
  admission: Admission;
  /** Admission and `made` are as the database has them then. */
  moment: Moment;
  horizon: string | null;
  /** What was made before, where nothing of the portfolio has changed since. */
  made: Made | null;
}

export type Admit = <Made extends MadeOfPortfolio = never>(
  request: AdmissionRequest<Made>,
) => Promise<FoundAdmission<Made> | null>;

/** An admission that let a partner in, and when that was last known to be so. */
interface KnownAdmission {
  admission: ActiveAdmission;
  seen: DatabaseSnapshot;
}

/**
 * Reads admissions: each afresh, or, where the same key was let in to the same client before, by asking the database whether
 * anything that decided it has changed since. Either way the answer is the database's, given after the question. Only
 * admissions that let a partner in are kept.
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

  /** Null where the admission does not stand any more. */
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
    entry.seen = moment.seen;
    const holds = made !== undefined && answer.portfolioUnchanged;
    if (holds) made.seen = moment.seen;
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

    // Before the admission: a view that changes meanwhile is then seen by it.
    const at = horizon ? await note('horizon', readHorizon(database)) : null;
    const found = await note('admission', (isKeyId ? readById : readByHash)({ key, clientId }));
    if (found === null || !isActive(found.admission)) {
      known.delete(name);
      return found && { ...found, horizon: at, made: null };
    }
    const fresh = { admission: found.admission, seen: found.moment.seen };
    known.set(name, fresh);
    // Another key with the same view may have been answered before.
    const shared = made?.(fresh.admission) === undefined ? null : await confirm(fresh, request);
    return shared ?? { ...found, horizon: at, made: null };
  };
}
