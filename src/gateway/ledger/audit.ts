// Gateway: compares all records with the ledger, and the ledger with itself and with checkpoints seen before.
import type { Database, Sql } from '#database/database.ts';
import { listMonths } from '#repositories/access-record/partitions.ts';
import { readOneSnapshot } from '#repositories/database-health.ts';
import { namesOfPending, readHead } from '#repositories/ledger/ledger.ts';
import { type ArchivedMonth, listArchivedMonths } from '#repositories/record-archive/archived-months.ts';
import { faultIn } from '#repositories/record-archive/manifest.ts';
import { unfound } from './audit-gaps.ts';
import { RecordAudit } from './audit-records.ts';
import { rewriteFault, treeFaults } from './audit-tree.ts';

export interface Fault {
  /**
   * `tree`: the log does not match its checkpoint. `entry`: a record differs from what was appended. `missing`: the
   * record of an entry no longer exists. `unlogged`: a record was never appended. `rewritten`: the log does not begin
   * with the one seen before.
   */
  kind: 'tree' | 'entry' | 'missing' | 'unlogged' | 'rewritten';
  text: string;
}

export interface Audit {
  size: number;
  /** The newest checkpoint, to be kept for the next comparison; null for an empty log. */
  checkpoint: string | null;
  /** Calls and steps that are as they were appended. */
  proven: number;
  /** Recorded recently and not appended yet. */
  waiting: number;
  /** Calls written by a release without the ledger. */
  earlier: number;
  /** Entries of months past their retention, and erased entries. */
  dropped: number;
  erased: number;
  /** Entries of calls that named no existing client, of which nothing else is recorded. */
  nobodys: number;
  /** Archived months that were not checked because no archive directory was given. Their entries count as dropped. */
  unread: string[];
  /** At most the first hundred. */
  faults: Fault[];
}

export interface AuditOptions {
  /** Checkpoints seen before. */
  seen?: readonly string[];
  /** Calls before this instant may be missing; null: none may. */
  keptSince?: Date | null;
  /** Directory of the archive; null: archived months count as dropped. */
  archive?: string | null;
}

const MAX_FAULTS = 100;

/** As of one snapshot. */
export function auditLedger(database: Database, options: AuditOptions = {}): Promise<Audit> {
  return database.transaction(
    async (sql) => {
      await readOneSnapshot(sql);
      return audit(sql, options);
    },
    { noTimeout: true },
  );
}

async function audit(sql: Sql, { seen = [], keptSince = null, archive = null }: AuditOptions): Promise<Audit> {
  const faults: Fault[] = [];
  const report = (kind: Fault['kind'], text: string) => {
    if (faults.length < MAX_FAULTS) faults.push({ kind, text });
  };
  // The signing key exists before the first checkpoint. Nothing may be written here.
  const head = await readHead(sql);
  for (const text of await treeFaults(sql, head)) report('tree', text);
  for (const note of seen) {
    const fault = await rewriteFault(sql, head, note);
    if (fault !== null) report('rewritten', fault);
  }
  const records = new RecordAudit(sql, await namesOfPending(sql), report);
  await records.steps();
  await records.calls();
  const reading = async (work: () => Promise<void>) => {
    const fault = await faultIn(work);
    if (fault !== null) report('missing', `${fault.message}.`);
  };
  let months: ArchivedMonth[] = [];
  await reading(async () => {
    months = await listArchivedMonths(sql, archive);
  });
  const inDatabase = new Set((await listMonths(sql)).map(({ name }) => name));
  if (archive !== null)
    for (const month of months) await reading(() => records.archivedCalls(archive, month, inDatabase.has(month.name)));
  const since = archive === null ? keptSince : earlier(keptSince, months);
  const size = head?.size ?? 0;
  const gaps = await unfound(sql, size, records.found, since, await records.nobodys(), (text) =>
    report('missing', text),
  );
  const unread = archive === null ? months.map(({ name }) => name) : [];
  return { size, checkpoint: head?.checkpoint ?? null, ...records.counts, ...gaps, unread, faults };
}

/** Everything from the first archived month on must exist, except for what was appended within its first day. */
function earlier(keptSince: Date | null, [first]: readonly ArchivedMonth[]): Date | null {
  if (keptSince === null || first === undefined) return keptSince;
  return new Date(Math.min(keptSince.getTime(), Date.parse(first.from)));
}
