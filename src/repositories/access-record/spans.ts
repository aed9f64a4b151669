// Repositories: by which spans of time a page of the access record is read.
import { timeOfId } from '#core/ids.ts';
import { DAY_MS } from '#core/timestamps.ts';

const [EARLIEST, LATEST] = ['2000-01-01T00:00:00.000Z', '3000-01-01T00:00:00.000Z'];

/**
 * The time, where a call can be so early or late; otherwise the last that stands for it. What people write for "always" is more than the
 * number of a minute holds, and the day before the first is none.
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

/** Reads up to `size` + 1 rows of a span, the newest first. */
type ReadSpan<Row> = (span: Span, size: number) => Promise<Row[]>;

interface Asked {
  since: string | null;
  until: string | null;
  size: number;
  /** Time and request id of the row before the page. */
  after: string[] | null;
}

/** How many times as long as all before it the next span of time is at most. */
const MOST_TIMES = 32;
/** How many spans are read by themselves; what is older is one more. */
const SPANS = 4;

/**
 * Up to `size` + 1 rows, the newest first, asking `read` for one span of time after the other until there are enough: the
 * newest day, and then as long as the rest takes at the rate so far. A page is read of every key by itself, as if all of it were
 * of that key; in a span each has few calls, and older months are not asked at all. Where spans meet follows this process's
 * clock; which rows there are does not depend on it.
 */
export async function bySpans<Row>({ since, until, size, after }: Asked, read: ReadSpan<Row>): Promise<Row[]> {
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
    days *= 1 + Math.min(MOST_TIMES, (1.25 * missing) / rows.length);
  }
  return rows;
}

const AROUND_MS = 3_600_000;

/**
 * The call with this request id: near the time that the id holds, or else anywhere. A request gets its id when it comes, and is
 * recorded when it is answered, by clocks that may have been set meanwhile.
 */
export async function aroundId<Row>(requestId: string, size: number, read: ReadSpan<Row>): Promise<Row[]> {
  const time = Math.min(timeOfId(requestId), Date.parse(LATEST));
  const near = { from: new Date(time - AROUND_MS).toISOString(), before: new Date(time + AROUND_MS).toISOString() };
  const rows = await read(near, size);
  return rows.length > 0 ? rows : read({}, size);
}
