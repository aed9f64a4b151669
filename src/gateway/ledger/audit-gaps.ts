// Gateway: entries of the log for which there is no record.
import type { Sql } from '#database/database.ts';
import { readEntryNumbers, readErased, readRanges } from '#repositories/ledger/ledger.ts';
import { Bits } from './bits.ts';

/** By so much later than it was made a call may have been appended. */
const SLACK_MS = 86_400_000;

/**
 * Leaves for which there is no record: of months that are over, erased, those that calls about nobody left, as `isNobodys` says, or
 * missing, of which `report` is told.
 */
export async function unfound(
  sql: Sql,
  size: number,
  found: Bits,
  keptSince: Date | null,
  isNobodys: (place: { number: number; index: number }) => Promise<boolean>,
  report: (missing: string) => void,
): Promise<{ dropped: number; erased: number; nobodys: number }> {
  const erased = new Bits();
  for await (const leaves of readErased(sql)) for (const leaf of leaves) erased.add(leaf);
  let [dropped, gone, nobodys, next] = [0, 0, 0, 0];
  for await (const ranges of readRanges(sql))
    for (const { batch, first, entries, at } of ranges) {
      if (first !== next) report(rangeText(next, first));
      next = first + entries;
      const isOver = keptSince !== null && at !== null && Date.parse(at) < keptSince.getTime() + SLACK_MS;
      let numbers: readonly number[] | null = null;
      for (let leaf = first; leaf < next; leaf++) {
        if (found.has(leaf)) continue;
        if (erased.has(leaf)) gone += 1;
        else if (isOver && batch !== null) dropped += 1;
        else {
          numbers ??= batch === null ? [] : await readEntryNumbers(sql, batch);
          if (await isNobodys({ number: numbers[leaf - first] ?? 0, index: leaf })) nobodys += 1;
          else report(`Entry ${leaf} of the log is not recorded any more.`);
        }
      }
    }
  if (next !== size) report(rangeText(next, size));
  return { dropped, erased: gone, nobodys };
}

const rangeText = (from: number, until: number): string =>
  until > from
    ? `Nothing is recorded of entries ${from} to ${until - 1} of the log.`
    : `Entries from ${until} on are recorded twice.`;
