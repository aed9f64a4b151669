// Command line: `portico ledger …`: verifies the log, with the database or from files alone.
import type { Command } from 'commander';
import { type PublicKey, readCheckpoint, verifierKey, verifyCheckpoint } from '#core/ledger/note.ts';
import { type LedgerRecord, readRecordFile, type Verdict, verifyRecord } from '#core/ledger/record-file.ts';
import { DAY_MS } from '#core/timestamps.ts';
import { type Audit, auditLedger } from '#gateway/ledger/audit.ts';
import { createLedger, recordLines } from '#gateway/ledger/ledger.ts';
import { currentKey } from '#gateway/signing-key.ts';
import { requireSubjectExists } from '#repositories/existence.ts';
import { readHead } from '#repositories/ledger/ledger.ts';
import { listArchivedMonths } from '#repositories/record-archive/archived-months.ts';
import { publishedKeys, readText, writeText } from '../files.ts';
import { asFailure, CommandFailure, type CommandHost, note, print, UsageError } from '../host.ts';
import { printableJson } from '../printable.ts';
import { withDatabase } from '../session.ts';
import { facts } from '../table.ts';

const EMPTY = 'the log is still empty';

export function registerLedger(host: CommandHost): void {
  const ledger = host.program
    .command('ledger')
    .description('the log of calls, consent changes and key changes, with which the record can be checked');
  registerVerify(ledger, host);
  registerExport(ledger, host);
  registerKey(ledger, host);
  registerCheckpoint(ledger, host);
}

interface VerifyOptions {
  keys?: string;
  seen?: string[];
  save?: string;
}

function registerVerify(ledger: Command, host: CommandHost): void {
  ledger
    .command('verify')
    .argument('[file]', 'a record, as the portal or `ledger export` gave it; absent: everything in the database')
    .description('check that the record matches the log, and that nothing is missing')
    .option('--keys <file>', 'the published keys (/.well-known/jwks.json); absent: those in the database')
    .option(
      '--seen <files...>',
      'earlier checkpoints, or receipts or record files that contain one: the log must begin with what they say',
    )
    .option('--save <file>', 'where to write the newest checkpoint, for the next --seen')
    .addHelpText(
      'after',
      `
Without a file, every record is compared with the log, and the log with itself. Who can write to the database could have
written all of it anew and signed it: only a checkpoint that was kept elsewhere (--seen), or a witness, shows that.
A call that was never recorded is in no log.`,
    )
    .action((file: string | undefined, options: VerifyOptions) =>
      file === undefined ? verifyDatabase(host, options) : verifyFile(host, file, options),
    );
}

function registerExport(ledger: Command, { config }: CommandHost): void {
  ledger
    .command('export')
    .requiredOption('--subject <id>', 'a client, a firm, or the grant of a request that was never sent to a client')
    .description(
      'everything in the log about a subject, with salts and proofs, as newline-delimited JSON with and without --json, for an independent check',
    )
    .action(({ subject }: { subject: string }) =>
      withDatabase(config(), async (database) => {
        const log = createLedger(database);
        const first = await log.page(subject, { after: null, under: null });
        if (first === null) throw new CommandFailure(EMPTY);
        if (first.count === 0) await requireSubjectExists(database, subject);
        const archive = config().recordArchive ?? null;
        for await (const lines of recordLines(database, subject, first, archive))
          process.stdout.write(printableJson(lines));
        if (archive === null && (await listArchivedMonths(database, null)).length > 0)
          note('calls of archived months are missing: set RECORD_ARCHIVE to include them');
      }),
    );
}

function registerKey(ledger: Command, { config, json }: CommandHost): void {
  ledger
    .command('key')
    .description('the verifier key of the log, for witnesses and monitors')
    .action(() =>
      withDatabase(config(), async (database) => {
        const head = await readHead(database);
        if (head?.checkpoint == null) throw new CommandFailure(EMPTY);
        const { publicKey } = await currentKey(database);
        const key = await verifierKey(head.origin, publicKey);
        print(json(), { origin: head.origin, key }, key);
      }),
    );
}

function registerCheckpoint(ledger: Command, { config, json }: CommandHost): void {
  ledger
    .command('checkpoint')
    .description('the newest checkpoint: a signed note with the size and the root of the log')
    .action(() =>
      withDatabase(config(), async (database) => {
        const note = await createLedger(database).checkpoint();
        if (note === null) throw new CommandFailure(EMPTY);
        // Exactly the signed note: the output ends its last line.
        print(json(), { checkpoint: note }, note.trimEnd());
      }),
    );
}

async function verifyFile(
  { config, json }: CommandHost,
  file: string,
  { keys: published, seen, save }: VerifyOptions,
): Promise<void> {
  if (seen !== undefined || save !== undefined)
    throw new UsageError('--seen and --save are for the whole database: leave out the file');
  const text = await readText(file);
  const { keys } = await publishedKeys({ config }, published);
  const { record, verdict } = await verify(text, keys).catch(asFailure(file));
  const { checkpoint, proven, from, findings } = verdict;
  const details = {
    entries: from > record.count ? `${proven}, no calls` : `${proven}, all from ${from} to ${record.count}`,
    log: `${checkpoint.origin}, ${checkpoint.size} entries`,
  };
  const complete =
    from === 1
      ? 'complete and unchanged'
      : `unchanged, and complete from entry ${from} on: earlier calls are past their retention, or were left out`;
  const success = findings.length === 0 ? facts(`The record of ${record.subject} is ${complete}.`, details) : null;
  printVerdict(json(), verdictJson(record, verdict), success, findings);
}

async function verifyDatabase({ config, json }: CommandHost, { keys, seen = [], save }: VerifyOptions): Promise<void> {
  const notes = await Promise.all(seen.map(readSeen));
  const published = keys === undefined ? null : await publishedKeys({ config }, keys);
  const days = config().accessRecordDays;
  const retainedSince = days === undefined ? null : new Date(Date.now() - days * DAY_MS);
  const found = await withDatabase(config(), (database) =>
    auditLedger(database, { seen: notes, keptSince: retainedSince, archive: config().recordArchive ?? null }),
  );
  if (published !== null && found.checkpoint !== null)
    await verifyCheckpoint(found.checkpoint, published.keys).catch((error: Error) => {
      found.faults.push({ kind: 'tree', text: `${keys}: ${error.message}.` });
    });
  const { size, proven, waiting, earlier, dropped, erased, nobodys, unread } = found;
  const details = {
    entries: size,
    unchanged: proven,
    'past their retention': dropped,
    erased,
    'of calls without an existing client': nobodys,
    'not appended yet': waiting,
    'recorded by releases without the log': earlier,
    ...(unread.length > 0 && { 'in the archive, not checked (RECORD_ARCHIVE)': unread.join(', ') }),
  };
  printVerdict(
    json(),
    auditJson(found),
    found.faults.length === 0 ? facts('The record matches the log.', details) : null,
    found.faults,
  );
  if (save === undefined) return;
  if (found.checkpoint === null) note(`${EMPTY}: there is no checkpoint to save in ${save}`);
  else await writeText(save, found.checkpoint);
}

/** Prints the result, and fails if there are faults. */
function printVerdict(json: boolean, value: object, success: string | null, faults: readonly { text: string }[]): void {
  if (json || success !== null) print(json, value, success ?? '');
  if (faults.length > 0) throw new CommandFailure(faults.map(({ text }) => text).join('\n'));
}

const auditJson = ({ faults, checkpoint, ...counts }: Audit) => ({
  ...counts,
  checkpoint,
  holds: faults.length === 0,
  faults,
});

const verdictJson = ({ subject, count }: LedgerRecord, { checkpoint, proven, from, findings }: Verdict) => ({
  ...{ subject, origin: checkpoint.origin, size: checkpoint.size, count, from, proven },
  ...{ holds: findings.length === 0, findings },
});

async function verify(text: string, keys: readonly PublicKey[]): Promise<{ record: LedgerRecord; verdict: Verdict }> {
  const record = readRecordFile(text);
  return { record, verdict: await verifyRecord(record, keys) };
}

/** A checkpoint, or a file that contains one: a receipt, a record with its proof, or the access record in any form. */
async function readSeen(file: string): Promise<string> {
  const text = await readText(file);
  try {
    const [whole, first] = [text, text.split('\n')[0] ?? ''].map(checkpointIn);
    // Earlier releases printed a checkpoint with an empty line after it.
    const note = whole ?? first ?? checkpointInCsv(text) ?? `${text.trimEnd()}\n`;
    readCheckpoint(note);
    return note;
  } catch (error) {
    throw new CommandFailure(`${file} has no checkpoint: ${(error as Error).message}`);
  }
}

function checkpointIn(text: string): string | null {
  try {
    const json = JSON.parse(text) as { checkpoint?: unknown } | { checkpoint?: unknown }[];
    const checkpoint = Array.isArray(json) ? json[0]?.checkpoint : json.checkpoint;
    return typeof checkpoint === 'string' ? checkpoint : null;
  } catch {
    return null;
  }
}

/**
 * The first cell with a signed note, without the apostrophe that keeps spreadsheets from evaluating a root that starts
 * with a sign.
 */
const checkpointInCsv = (text: string): string | null =>
  /"([^"]+\n\n— [^"]+)"/.exec(text)?.[1]?.replaceAll(/^'(?=\+)/gm, '') ?? null;
