// Repositories: the calls of a client's record whose responses contained an item.
import { hasNumber } from '#core/disclosure.ts';
import type { RecordedCall } from '#core/ledger/entry-text.ts';
import type { Sql } from '#database/database.ts';
import { type Covered, readCoverage } from './coverage.ts';
import { numberOfItem } from './item-names.ts';

/** The parts of a call that decide whether its response contained an item. */
export type Candidate = Pick<
  RecordedCall,
  'requestId' | 'at' | 'keyId' | 'registryId' | 'status' | 'items' | 'removed' | 'disclosed'
>;

/** How many calls are examined at a time: the first number, and the maximum. It is multiplied by four each time. */
const FIRST_CANDIDATES = 200;
const MAX_CANDIDATES = 5_000;

interface Search {
  /** Time and request id of the call before the first candidate. */
  after: string[] | null;
  /** Maximum number of calls. */
  max: number;
  /** Maximum number of candidates. */
  most: number;
}

/**
 * The first calls that named the item, returned it or reported its removal. Where the record cannot tell (totals, and
 * responses whose items were not recorded), calls count if a grant covered the item at the time. The packed lists are
 * searched here: an index over the items of each call would take more space than the calls. `read` reads up to `max`
 * candidates in the order of the record, after the time and request id of a call; fewer means that there are no more.
 * `stoppedAt` has those of the last candidate if the search stopped after `most` of them; else it is null.
 */
export async function callsOfItem<Call extends Candidate>(
  sql: Sql,
  { clientId, registryId }: { clientId: string; registryId: string },
  read: (after: string[] | null, max: number) => Promise<readonly Call[]>,
  { after, max, most }: Search,
): Promise<{ calls: Call[]; stoppedAt: string[] | null }> {
  const number = await numberOfItem(sql, clientId, registryId);
  let coverage: Promise<Covered> | undefined;
  const calls: Call[] = [];
  let stoppedAt = after;
  let step = FIRST_CANDIDATES;
  for (let left = most; left > 0; step = Math.min(4 * step, MAX_CANDIDATES)) {
    const size = Math.min(step, left);
    const candidates = await read(stoppedAt, size);
    for (const call of candidates) {
      if (carries(call, number) || call.registryId === registryId) calls.push(call);
      else if (number !== null && lacksItems(call)) {
        coverage ??= readCoverage(sql, clientId, registryId);
        if ((await coverage)(call)) calls.push(call);
      }
      if (calls.length === max) return { calls, stoppedAt: null };
    }
    const last = candidates.at(-1);
    if (last === undefined || candidates.length < size) return { calls, stoppedAt: null };
    stoppedAt = [last.at, last.requestId];
    left -= size;
  }
  return { calls, stoppedAt };
}

const carries = ({ items, removed }: Candidate, number: number | null): boolean =>
  number !== null && ((items !== null && hasNumber(items, number)) || (removed !== null && hasNumber(removed, number)));

/** A call that named an item is known to have returned no other. */
const lacksItems = (call: Candidate): boolean =>
  call.status < 400 && call.registryId === null && ['totals', 'unrecorded'].includes(contentsOf(call));

/**
 * Contents of a response. `items`: recorded one by one; `totals`: computed over all items that the grant covered;
 * `nothing` of the portfolio; `unrecorded`: from before items were recorded, or with a removed item without a number.
 */
export type Contents = 'items' | 'totals' | 'nothing' | 'unrecorded';

type Carried = Pick<Candidate, 'status' | 'items' | 'removed' | 'disclosed'>;

export function contentsOf({ status, items, removed, disclosed }: Carried): Contents {
  if (status >= 400) return 'nothing';
  if (items === null) return 'unrecorded';
  if (items.length > 0 || removed !== null) return 'items';
  return disclosed === 0 ? 'nothing' : 'totals';
}
