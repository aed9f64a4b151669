// Gateway: entries of the log without a record.
import { DAY_MS } from '#core/timestamps.ts';
import type { Sql } from '#database/database.ts';
import { readEntryNumbers, readErased, readRanges } from '#repositories/ledger/ledger.ts';
import { Bits } from './bits.ts';

/** Maximum delay between a call and its entry in the log. */
const SLACK_MS = DAY_MS;

/**
 * Counts the leaves without a record: of months past their retention, erased, and of calls that named no existing
 * client, as decided by `isNobodys`. All others are missing and passed to `report`.
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
          else report(`Entry ${leaf} of the log is no longer recorded.`);
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
