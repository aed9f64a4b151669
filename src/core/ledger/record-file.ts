// Core: the file that proves a client's record to anybody: entries of one subject with proofs under one checkpoint.
import { type Checkpoint, type PublicKey, verifyCheckpoint } from './note.ts';
import { bytesOf, commitmentOf, type Head, hashOfLeaf, isConsistent, isSame, rootFromInclusion } from './proofs.ts';

export const RECORD_FORMAT = 'portico-ledger-record/1';

/** One step or call in the ledger. Binary values are in Base64. */
export interface LedgerEntry {
  /** Number among the entries of its subject, from 1. */
  number: number;
  /** Index of its leaf in the log. */
  index: number;
  salt: string;
  /** The canonical text: JSON whose exact bytes are committed to. */
  text: string;
  /** From the leaf's sibling up to the child of the root. */
  proof: string[];
}

/** Entries of one subject: a client, a firm, or a request that reached no client. */
export interface LedgerRecord {
  format: typeof RECORD_FORMAT;
  subject: string;
  /** A signed note. */
  checkpoint: string;
  /** How many entries the subject has under the checkpoint. */
  count: number;
  /** Newest first. */
  entries: LedgerEntry[];
}

export interface Finding {
  kind: 'entry' | 'gap' | 'repeated' | 'count' | 'consistency';
  /** What is wrong, in a sentence. */
  text: string;
}

export interface Verdict {
  checkpoint: Checkpoint;
  /** Entries with valid proofs. */
  proven: number;
  /** From this number on no entry may be missing. Earlier ones may be past their retention, or have been left out. */
  from: number;
  findings: Finding[];
}

/** The fields of an entry's text; empty where the text is garbled. */
export function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}

/** The subject of an entry: the client, the firm, or the request. */
function subjectOf(text: string): unknown {
  const { client, firm, grant, kind } = fieldsOf(text);
  return kind === 'key' ? firm : (client ?? grant);
}

/** Why the entry is not proven under the checkpoint; null where it is. */
export async function faultOf(entry: LedgerEntry, subject: string, head: Head): Promise<string | null> {
  const { number, text } = entry;
  // An unreadable entry cannot be the one appended.
  const isProven = await isInLog(entry, head).catch(() => false);
  if (!isProven) return `Entry ${number} does not match the log.`;
  return subjectOf(text) === subject ? null : `Entry ${number} is another subject's.`;
}

async function isInLog({ number, index, salt, text, proof }: LedgerEntry, { size, root }: Head): Promise<boolean> {
  const leaf = await hashOfLeaf(await commitmentOf(bytesOf(salt), number, text));
  const reached = await rootFromInclusion(leaf, { index, size, path: proof.map(bytesOf) });
  return reached !== null && isSame(reached, root);
}

/**
 * Verifies the file: the checkpoint's signature, each entry's proof, and that the numbers have no gap from `startOf` up
 * to the count. Throws an Error where the checkpoint itself is void.
 */
export async function verifyRecord(record: LedgerRecord, keys: readonly PublicKey[]): Promise<Verdict> {
  const checkpoint = await verifyCheckpoint(record.checkpoint, keys);
  const findings: Finding[] = [];
  let proven = 0;
  for (const entry of record.entries) {
    const fault = await faultOf(entry, record.subject, checkpoint);
    if (fault === null) proven += 1;
    else findings.push({ kind: 'entry', text: fault });
  }
  const from = startOf(record);
  const numbers = record.entries.map(({ number }) => number);
  findings.push(...findGaps(numbers, { from, count: record.count }));
  return { checkpoint, proven, from, findings };
}

/**
 * The number from which on no entry of the subject may be missing. Calls have a retention and steps are kept for good,
 * so that older steps remain without the calls between them. For a client it is therefore the first call in the file
 * (or one past the count where there is none), extended back over the entries directly before it.
 */
export function startOf({ subject, count, entries }: Pick<LedgerRecord, 'subject' | 'count' | 'entries'>): number {
  if (!subject.startsWith('usr_')) return 1;
  const present = new Set<number>();
  let first = count + 1;
  for (const { number, text } of entries) {
    present.add(number);
    if (number < first && fieldsOf(text).kind === 'call') first = number;
  }
  while (present.has(first - 1)) first -= 1;
  return first;
}

/** Numbers that are missing between `from` and the count, or that occur more than once. */
export function findGaps(numbers: readonly number[], { from, count }: { from: number; count: number }): Finding[] {
  const ascending = [...numbers].sort((one, other) => one - other);
  const findings: Finding[] = [];
  let before = 0;
  for (const number of ascending) {
    if (number === before) findings.push({ kind: 'repeated', text: `There are two entries ${number}.` });
    findings.push(...missing(Math.max(before + 1, from), number - 1));
    before = number;
  }
  if (before > count) findings.push({ kind: 'count', text: `There are entries beyond the last, ${count}.` });
  findings.push(...missing(Math.max(before + 1, from), count));
  return findings;
}

function missing(from: number, until: number): Finding[] {
  if (from > until) return [];
  const text = from === until ? `Entry ${from} is missing.` : `Entries ${from} to ${until} are missing.`;
  return [{ kind: 'gap', text }];
}

/** Whether the log seen under an earlier checkpoint is a prefix of the present one. */
export async function findRewrite(older: Head, newer: Head, path: readonly string[]): Promise<Finding[]> {
  if (await isConsistent(older, newer, path.map(bytesOf))) return [];
  return [
    {
      kind: 'consistency',
      text: `The log of ${newer.size} entries does not begin with the one of ${older.size} entries that an earlier checkpoint is of.`,
    },
  ];
}

/** The first line of a file. Each further line is an entry. */
export const headLine = ({ format, subject, checkpoint, count }: Omit<LedgerRecord, 'entries'>): string =>
  `${JSON.stringify({ format, subject, checkpoint, count })}\n`;

/** Throws an Error where the text is not of this form. */
export function readRecordFile(text: string): LedgerRecord {
  try {
    const [head, ...entries] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    const record = { ...(head as LedgerRecord), entries: entries as LedgerEntry[] };
    if (record.format === RECORD_FORMAT && entries.every((entry) => typeof entry === 'object' && entry !== null))
      return record;
  } catch {
    // Not JSON.
  }
  throw new Error(`it is not a file of the form ${RECORD_FORMAT}`);
}
