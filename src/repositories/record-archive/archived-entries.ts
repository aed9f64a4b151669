// Repositories: archived calls as entries of the ledger.
import { callText } from '#core/ledger/entry-text.ts';
import type { Sql } from '#database/database.ts';
import { batchSql, placeOf } from '../ledger/pending.ts';
import { type AnyEntry, entryPlace, numberSql } from '../ledger/subject-entries.ts';
import { type ArchivedMonth, requireManifest } from './archived-months.ts';
import type { ArchivedCall } from './columns.ts';
import { openMonth } from './verified-file.ts';

/**
 * Entries of a month: those about a client, newest first; without a client all of them, by client and oldest first.
 * Throws an ArchiveFault if the file is missing or damaged.
 */
export async function* readArchivedEntries(
  sql: Sql,
  directory: string,
  month: ArchivedMonth,
  clientId?: string,
): AsyncGenerator<AnyEntry[]> {
  await using file = await openMonth(directory, requireManifest(month, directory));
  const read = clientId === undefined ? file.all() : file.callsOf(clientId);
  for await (const calls of read) yield await entriesOf(sql, calls);
}

async function entriesOf(sql: Sql, calls: readonly ArchivedCall[]): Promise<AnyEntry[]> {
  const rows = await sql.query<{ at: number; first: number; packed: Buffer }>({
    text: `select e.at, b.first, ${numberSql('e.entry')} as packed
      from unnest($1::bigint[]) with ordinality as e (entry, at) join ledger_batches b on b.number = ${batchSql('e.entry')} and e.entry > 0`,
    values: [calls.map(({ entry }) => entry)],
  });
  const places = new Map(rows.map(({ at, ...row }) => [at - 1, row]));
  return calls.map((call, nth) => {
    const { batch, place } = placeOf(call.entry);
    const { first = 0, packed } = places.get(nth) ?? {};
    const { at, requestId, clientId } = call;
    return {
      at,
      id: requestId,
      text: callText(call),
      place: entryPlace(packed, first + place),
      subject: clientId,
      batch,
    };
  });
}
