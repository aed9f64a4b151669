// Gateway: the ledger for readers: its checkpoint, tiles and entry bundles, and the record of a subject.
import { headLine, type LedgerEntry } from '#core/ledger/record-file.ts';
import { HASH_BYTES, TILE_WIDTH, widthOf } from '#core/ledger/tree.ts';
import type { Sql } from '#database/database.ts';
import { commitmentsIn, readBundle, readHead, tilesOf } from '#repositories/ledger/ledger.ts';
import { readPublished } from '#repositories/ledger/witnesses.ts';
import { listArchivedMonths } from '#repositories/record-archive/archived-months.ts';
import { type PageQuery, proveArchived, type RecordPage, readCursor, readRecordPage } from './record.ts';
import { ROUND_SECONDS } from './witnessing.ts';

export type { PageQuery, RecordPage };

export interface Ledger {
  /** A signed note; null while the log is empty. */
  checkpoint(): Promise<string | null>;
  /** The public checkpoint. With witnesses it is up to a minute older and has their cosignatures. */
  published(): Promise<string | null>;
  /** The first `width` hashes of a tile; null where the log has fewer. */
  tile(level: number, index: number, width: number): Promise<Buffer | null>;
  /** The first `width` entries of a bundle, which are salted hashes, each preceded by its length. */
  entries(index: number, width: number): Promise<Buffer | null>;
  page(subject: string, query: PageQuery): Promise<RecordPage | null>;
  /** The whole record as lines of a file, beginning with the first page. */
  lines(subject: string, first: RecordPage): AsyncGenerator<string>;
}

/** Two bytes, big-endian. */
const LENGTH = Buffer.of(0, HASH_BYTES);

/** Age from which the newest checkpoint is served without cosignatures: the process that asks witnesses hangs. */
const PUBLISHED_SECONDS = 5 * ROUND_SECONDS;

/** `witnessed`: witnesses are configured. */
export function createLedger(sql: Sql, { witnessed = false }: { witnessed?: boolean } = {}): Ledger {
  const has = async (level: number, index: number, width: number) =>
    width <= TILE_WIDTH && widthOf((await readHead(sql))?.size ?? 0, level, index) >= width;
  return {
    checkpoint: () => newestCheckpoint(sql),
    published: async () => (witnessed ? await readPublished(sql, PUBLISHED_SECONDS) : null) ?? newestCheckpoint(sql),
    async tile(level, index, width) {
      if (!(await has(level, index, width))) return null;
      return (await tilesOf(sql)(level, index, width)).subarray(0, width * HASH_BYTES);
    },
    async entries(index, width) {
      if (!(await has(0, index, width))) return null;
      const commitments = commitmentsIn(await readBundle(sql, index)).slice(0, width);
      return Buffer.concat(commitments.flatMap((commitment) => [LENGTH, commitment]));
    },
    page: (subject, query) => readRecordPage(sql, subject, query),
    lines: (subject, first) => recordLines(sql, subject, first),
  };
}

/** A signed note; null while the log is empty. */
export const newestCheckpoint = async (sql: Sql): Promise<string | null> => (await readHead(sql))?.checkpoint ?? null;

/**
 * The file of a record: a header line, and one line per entry. With the archive's directory it includes calls of
 * archived months, and throws an ArchiveFault where a file is missing or damaged.
 */
export async function* recordLines(
  sql: Sql,
  subject: string,
  first: RecordPage,
  archive: string | null = null,
): AsyncGenerator<string> {
  yield headLine(first);
  const { size, count } = first;
  const given = new Set<number>();
  const lines = (entries: readonly LedgerEntry[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  for (let page: RecordPage | null = first; page !== null; ) {
    yield lines(page.entries);
    if (archive !== null) for (const { number } of page.entries) given.add(number);
    const { next }: RecordPage = page;
    page =
      next === null ? null : await readRecordPage(sql, subject, { after: readCursor(next), under: { size, count } });
  }
  if (archive === null || !subject.startsWith('usr_')) return;
  for (const month of (await listArchivedMonths(sql, archive)).reverse())
    for await (const entries of proveArchived(sql, subject, { directory: archive, month, under: { size, count } }))
      yield lines(entries.filter(({ number }) => !given.has(number)));
}
