// Record: verifies the client's record against the log in this browser, without relying on the gateway's statements
// about itself.
import { type PublicKey, verifyCheckpoint } from '#core/ledger/note.ts';
import { base64Of, bytesOf } from '#core/ledger/proofs.ts';
import { faultOf, fieldsOf, findGaps, findRewrite, type LedgerRecord, startOf } from '#core/ledger/record-file.ts';
import { exchange } from '../../../graphql/exchange.ts';

interface Page extends LedgerRecord {
  size: number;
  waiting: string[];
  consistency: string[] | null;
  next: string | null;
}

/** A call as shown on the page. */
export interface ShownCall {
  requestId: string;
  at: string;
  status: number;
  endpoint: string;
}

export interface Check {
  /** Number of entries that are in the log as recorded. */
  proven: number;
  /** Number of calls that are not in the log yet, or older than it. */
  waiting: number;
  /** Size of the whole log. */
  size: number;
  /** From this number on no entry is missing. Earlier calls are past their retention, or were left out. */
  from: number;
  /** Whether there was more than one check can cover. */
  partly: boolean;
  /** When this browser last checked; null if never. */
  comparedWith: string | null;
  /** Errors, as sentences. */
  faults: string[];
}

/** State of the last check without errors, stored in this browser. */
interface Memory {
  origin: string;
  size: number;
  root: string;
  count: number;
  at: string;
}

/** Maximum number of pages; the downloaded file allows to check more. */
const MAX_PAGES = 100;

const memoryName = (subject: string) => `portico-ledger-${subject}`;

/** Rejects if the browser cannot check: the log cannot be read, or Ed25519 is not supported. */
export async function checkRecord(subject: string, shown: readonly ShownCall[]): Promise<Check> {
  const { keys } = (await exchange('/.well-known/jwks.json')) as { keys: PublicKey[] };
  const memory = recall(subject);
  const first = (await exchange(`/portal/ledger.json${memory === null ? '' : `?seen=${memory.size}`}`)) as Page;
  const head = await verifyCheckpoint(first.checkpoint, keys);
  const faults = first.subject === subject ? [] : ['The log that was received is about somebody else.'];
  const texts = new Map<string, string>();
  const waiting = new Set<string>();
  const entries: LedgerRecord['entries'] = [];
  let [proven, pages, lastNumbers] = [0, 0, [] as number[]];
  for (let page: Page | null = first; page !== null; pages++) {
    for (const entry of page.entries) {
      const fault = await faultOf(entry, subject, head);
      if (fault === null) proven += 1;
      else faults.push(fault);
      texts.set(String(fieldsOf(entry.text).id), entry.text);
    }
    lastNumbers = page.entries.map(({ number }) => number);
    entries.push(...page.entries);
    for (const id of page.waiting) waiting.add(id);
    const { next }: Page = page;
    if (next === null || pages + 1 === MAX_PAGES) {
      page = null;
    } else {
      const query = new URLSearchParams({ after: next, size: `${first.size}`, count: `${first.count}` });
      page = (await exchange(`/portal/ledger.json?${query}`)) as Page;
    }
  }
  const partly = pages === MAX_PAGES;
  // At the end of what was read, the order of numbers may differ from that of times.
  const lowest = partly ? Math.max(...lastNumbers, 0) : 0;
  const from = Math.max(startOf({ subject, count: first.count, entries }), lowest + 1);
  const judged = entries.map(({ number }) => number).filter((number) => number > lowest);
  faults.push(...findGaps(judged, { from, count: first.count }).map(({ text }) => text));
  for (const call of shown) faults.push(...shownFaults(call, texts.get(call.requestId), waiting, partly));
  if (memory !== null) {
    const [older, newer] = [{ size: memory.size, root: bytesOf(memory.root) }, head];
    const rewrites = await findRewrite(older, newer, first.consistency ?? []);
    faults.push(...rewrites.map(({ text }) => text));
    if (memory.origin !== head.origin) faults.push('It is not the log that this browser saw before.');
    if (memory.count > first.count)
      faults.push(`There were ${memory.count} entries about you, and now there are ${first.count}.`);
  }
  if (faults.length === 0) {
    const at = new Date().toISOString();
    keep(subject, { origin: head.origin, size: head.size, root: base64Of(head.root), count: first.count, at });
  }
  return { proven, waiting: waiting.size, size: head.size, from, partly, comparedWith: memory?.at ?? null, faults };
}

function shownFaults(
  { requestId, at, status, endpoint }: ShownCall,
  text: string | undefined,
  waiting: ReadonlySet<string>,
  partly: boolean,
): string[] {
  if (text === undefined)
    return waiting.has(requestId) || partly ? [] : [`The call ${requestId} on this page is not in the log.`];
  const entry = JSON.parse(text) as ShownCall;
  const isSame = Date.parse(entry.at) === Date.parse(at) && entry.status === status && entry.endpoint === endpoint;
  return isSame ? [] : [`The call ${requestId} on this page differs from the log.`];
}

/** Null if the browser disables storage. */
function recall(subject: string): Memory | null {
  try {
    return JSON.parse(localStorage.getItem(memoryName(subject)) ?? 'null') as Memory | null;
  } catch {
    return null;
  }
}

function keep(subject: string, memory: Memory): void {
  try {
    localStorage.setItem(memoryName(subject), JSON.stringify(memory));
  } catch {
    // Storage is disabled.
  }
}
