// Repositories: divides a page of the access record into spans of time to read.
import { timeOfId } from '#core/ids.ts';
import { DAY_MS } from '#core/timestamps.ts';

const [EARLIEST, LATEST] = ['2000-01-01T00:00:00.000Z', '3000-01-01T00:00:00.000Z'];

/**
 * Clamps the time to a range in which all calls lie. Values such as the year 9999, written for "always", would overflow
 * the number of a minute, and the first representable day has no day before it.
 */
export function timeOfCalls<Time extends string | null>(time: Time): Time {
  if (time === null) return time;
  return (time < EARLIEST ? EARLIEST : time > LATEST ? LATEST : time) as Time;
}

/** RFC 3339; `from` is inclusive, `before` exclusive. */
export interface Span {
  from?: string | undefined;
  before?: string | undefined;
}

/** Reads up to `size` + 1 rows of a span, newest first. */
type ReadSpan<Row> = (span: Span, size: number) => Promise<Row[]>;

interface PageRequest {
  since: string | null;
  until: string | null;
  size: number;
  /** Time and request id of the row before the page. */
  after: string[] | null;
}

/** Maximum factor by which a span may exceed all earlier spans together. */
const MAX_FACTOR = 32;
/** How many spans are read separately; everything older is read as one. */
const SPANS = 4;

/**
 * Up to `size` + 1 rows, newest first. Reads one span of time after another until there are enough rows: first the
 * newest day, then as long as the rest should take at the rate found. For each page a query reads every key as if all
 * its rows came from that key; within a span each key has few calls, and older months are not read at all. This
 * process's clock decides only where spans meet, not which rows are found.
 */
export async function bySpans<Row>({ since, until, size, after }: PageRequest, read: ReadSpan<Row>): Promise<Row[]> {
  const rows: Row[] = [];
  const times = [until, after?.[0]].filter((time) => typeof time === 'string').map(Date.parse);
  const newest = Math.min(Date.now(), ...times);
  const oldest = since === null ? Number.NEGATIVE_INFINITY : Date.parse(since);
  let before: string | undefined;
  let days = 1;
  for (let nth = 0; nth <= SPANS; nth++) {
    const start = nth === SPANS ? Number.NEGATIVE_INFINITY : newest - days * DAY_MS;
    const from = start > oldest ? new Date(start).toISOString() : undefined;
    rows.push(...(await read({ from, before }, size - rows.length)));
    if (from === undefined || rows.length > size) break;
    before = from;
    const missing = size + 1 - rows.length;
    days *= 1 + Math.min(MAX_FACTOR, (1.25 * missing) / rows.length);
  }
  return rows;
}

const AROUND_MS = 3_600_000;

/**
 * The call with this request id: searched near the time in the id, and then everywhere. The id is made when the request
 * arrives, the record when it is answered, and clocks may have been set in between.
 */
export async function aroundId<Row>(requestId: string, size: number, read: ReadSpan<Row>): Promise<Row[]> {
  const time = Math.min(timeOfId(requestId), Date.parse(LATEST));
  const near = { from: new Date(time - AROUND_MS).toISOString(), before: new Date(time + AROUND_MS).toISOString() };
  const rows = await read(near, size);
  return rows.length > 0 ? rows : read({}, size);
}
