// Gateway: asking the database for admissions, with what is known of earlier ones.
import { LRUCache } from 'lru-cache';
import { isId } from '#core/ids.ts';
import type { Edition } from '#core/principal.ts';
import { batched } from '#database/batched-statement.ts';
import type { Database } from '#database/database.ts';
import {
  type Admission,
  type AdmissionAsked,
  isStanding,
  readAdmissions,
  readStanding,
  type Standing,
} from '#repositories/admission/admission.ts';

const MAX_EDITIONS = 10_000;
const MAX_STANDING = 10_000;
/** Characters of their filters, which may list thousands of items. */
const MAX_FILTERED = 4_000_000;

export type AskAdmission = (asked: {
  /** The secret's hash. */
  key: Buffer;
  clientId: string | null;
  horizon?: boolean | undefined;
}) => Promise<Admission | null>;

/**
 * Reads admissions: each afresh, or, where the same key was let in to the same client before and no horizon is asked for, by
 * asking the database whether anything that decided it has changed since. Either way the answer is the database's, given
 * after the question.
 */
export function openAdmissions(database: Database): AskAdmission {
  const read = batched((asked: readonly AdmissionAsked[]) => readAdmissions(database, asked));
  const confirm = batched((asked: Parameters<typeof readStanding>[1]) => readStanding(database, asked));
  const editions = new LRUCache<string, Edition>({ max: MAX_EDITIONS });
  const known = new LRUCache<string, Standing>({
    max: MAX_STANDING,
    maxSize: MAX_FILTERED,
    sizeCalculation: ({ grant }) => JSON.stringify(grant.filter).length,
  });

  async function ask(key: Buffer, clientId: string, edition: Edition | null): Promise<Admission | null> {
    const name = `${key.toString('latin1')}${clientId}`;
    const standing = known.get(name);
    const confirmed = standing === undefined ? null : await confirm({ standing, edition });
    if (confirmed !== null) return confirmed;
    const admission = await read({ key, clientId, edition });
    if (admission !== null && isStanding(admission)) known.set(name, admission);
    else known.delete(name);
    return admission;
  }

  return async ({ key, clientId, horizon = false }) => {
    if (clientId === null || !isId('user', clientId)) return read({ key, clientId: null, horizon });
    const edition = editions.get(clientId) ?? null;
    const admission = await (horizon ? read({ key, clientId, horizon, edition }) : ask(key, clientId, edition));
    const present = admission?.edition ?? null;
    if (present !== null && present !== edition) editions.set(clientId, present);
    return admission;
  };
}
