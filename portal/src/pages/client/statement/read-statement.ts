// Client: reads the calls of a statement, page by page.
import { AccessRecord, type AccessRecordQuery } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import type { RecordQuery } from '../record/filters.ts';
import type { RecordRow } from '../record/record-items.tsx';

const PAGE_ROWS = 1_000;

/** Some 350 sheets of paper. A browser takes minutes to lay out many more; a download has all calls. */
const MAX_ROWS = 5_000;

export interface Statement {
  /** The newest calls, at most MAX_ROWS. */
  rows: readonly RecordRow[];
  /** Whether there are no more. */
  complete: boolean;
}

/** `onRows` is told the number of calls read so far. Throws PorticoError. */
export async function readStatement(
  query: RecordQuery,
  signal: AbortSignal,
  onRows: (count: number) => void,
): Promise<Statement> {
  const rows: RecordRow[] = [];
  let after: string | null = null;
  do {
    const page: AccessRecordQuery['body'] = await call(
      AccessRecord,
      // A page may have fewer rows than requested.
      { ...query, first: Math.min(PAGE_ROWS, MAX_ROWS - rows.length), after },
      { signal },
    );
    rows.push(...page.nodes);
    after = page.nextCursor;
    onRows(rows.length);
  } while (after !== null && rows.length < MAX_ROWS);
  return { rows, complete: after === null };
}
