// Repositories: inserts the rows of a batch of access records, with one statement for each table.
import type { AccessEvent, CallEvent, UnauthenticatedCount } from '#core/events.ts';
import { requestUuid } from '#core/ids.ts';
import { binaryList, type ListedType } from '#database/binary-lists.ts';
import type { Sql } from '#database/database.ts';
import { entrySql } from '../ledger/pending.ts';

/** Columns with their types, the value sent for each row, and the SQL expression for that value. */
type Columns<Row> = readonly (readonly [
  name: string,
  type: ListedType,
  value: (row: Row, at: number) => unknown,
  sql?: (value: string) => string,
])[];

export interface Insertion<Row> {
  columns: Columns<Row>;
  /** The statement, with `first` as the number of its first parameter. */
  text: (first: number) => string;
}

function insertion<Row>(columns: Columns<Row>, into: (names: string, rows: string) => string): Insertion<Row> {
  const names = columns.map(([name]) => name).join(', ');
  // All in one select list: in `from`, PostgreSQL would write each list to a tuplestore first.
  const lists = (first: number) =>
    columns
      .map(
        ([name, type, , sql = (value: string) => value], at) =>
          `${sql(`unnest($${first + at}::${type}[])`)} as ${name}`,
      )
      .join(', ');
  return { columns, text: (first) => into(names, `from (select ${lists(first)}) r`) };
}

/** The rows of one table. */
interface Insert {
  /** Name by which the statement's other parts refer to its returned rows. */
  name?: string;
  text: (first: number) => string;
  values: readonly Buffer[];
}

/** Empty if there are no rows. */
export function inserting<Row>({ columns, text }: Insertion<Row>, rows: readonly Row[]): Insert[] {
  if (rows.length === 0) return [];
  return [{ text, values: columns.map(([, type, value]) => binaryList(type, rows.map(value))) }];
}

/** Inserts into all tables in one statement. */
export async function insertBatched(sql: Sql, inserts: readonly Insert[]): Promise<void> {
  const values: Buffer[] = [];
  const texts = inserts.map((insert, at) => {
    const text = insert.text(values.length + 1);
    values.push(...insert.values);
    return `${insert.name ?? `t${at}`} as (${text})`;
  });
  if (texts.length > 0) await sql.query({ text: `with ${texts.join(',\n')} select`, values, prepare: true });
}

/** A call with the numbers of its repeated values. */
export interface NumberedCall {
  event: CallEvent;
  shape: number | undefined;
  origin: number | undefined;
  key: number | undefined;
}

/** Maximum of an integer column. */
const MAX_INTEGER = 2 ** 31 - 1;

/** Capped at the column's maximum, which a process that was suspended for long can exceed. */
const microseconds = (milliseconds: number): number => Math.min(Math.round(milliseconds * 1_000), MAX_INTEGER);

const SHARED: Columns<NumberedCall> = [
  ['at', 'timestamptz', ({ event }) => event.at],
  ['id', 'uuid', ({ event }) => requestUuid(event.requestId)],
  ['shape', 'integer', ({ shape }) => shape],
  ['origin', 'integer', ({ event, origin }) => (event.address === undefined ? null : origin)],
  ['took_us', 'integer', ({ event: { tookMs } }) => (tookMs === undefined ? null : microseconds(tookMs))],
  ['status', 'smallint', ({ event }) => event.status],
  ['key', 'integer', ({ key }) => key],
];

export interface CallRow extends NumberedCall {
  event: AccessEvent;
  pair: number | undefined;
  related: boolean;
}

/** The row of the ledger's queue that contains the calls, in their order. */
export const QUEUED = 'queued';

const EMPTY = Buffer.alloc(0);

export const CALLS: Insertion<CallRow> = insertion<CallRow>(
  [
    ...SHARED,
    ['pair', 'integer', ({ pair }) => pair],
    ['related', 'boolean', ({ related }) => related],
    ['items', 'bytea', ({ event }) => event.disclosure?.items],
    ['removed', 'bytea', ({ event }) => event.disclosure?.removed ?? EMPTY],
    ['registry_id', 'text', ({ event }) => event.registryId ?? ''],
    ['entry', 'bigint', (_, place) => place, (place) => entrySql(`(select number from ${QUEUED})`, place)],
  ],
  (names, rows) => `insert into access_calls (${names}) select ${names} ${rows}`,
);

export interface RefusalRow extends NumberedCall {
  clientId: string | null;
  path: string | null;
}

export const REFUSALS: Insertion<RefusalRow> = insertion<RefusalRow>(
  [
    ...SHARED,
    ['client_id', 'text', ({ clientId }) => clientId],
    ['registry_id', 'text', ({ event }) => event.registryId],
    ['path', 'text', ({ path }) => path],
  ],
  (names, rows) => `insert into firm_refusals (${names}) select ${names} ${rows}`,
);

/** Adds to a daily sum, capped at the column's maximum, so that a flood of calls never makes a batch fail. */
const more = (column: string): string => `${column} = least(d.${column}::bigint + excluded.${column}, ${MAX_INTEGER})`;

export interface DayRow {
  firmId: string;
  day: string;
  keyId: string;
  endpoint: string;
  status: number;
  errorCode: string;
  calls: number;
  unlisted: number;
}

export const DAYS: Insertion<DayRow> = insertion<DayRow>(
  [
    ['firm_id', 'text', ({ firmId }) => firmId],
    ['day', 'date', ({ day }) => day],
    ['key_id', 'text', ({ keyId }) => keyId],
    ['endpoint', 'text', ({ endpoint }) => endpoint],
    ['status', 'smallint', ({ status }) => status],
    ['error_code', 'text', ({ errorCode }) => errorCode],
    ['calls', 'integer', ({ calls }) => calls],
    ['unlisted', 'integer', ({ unlisted }) => unlisted],
  ],
  // Sorted, so that concurrent gateways lock the rows in the same order.
  (names, rows) => `insert into access_days as d (${names}) select ${names} ${rows} order by 1, 2, 3, 4, 5, 6
    on conflict (firm_id, day, key_id, endpoint, status, error_code)
    do update set ${more('calls')}, ${more('unlisted')}`,
);

export const UNAUTHENTICATED: Insertion<UnauthenticatedCount> = insertion<UnauthenticatedCount>(
  [
    ['day', 'date', ({ day }) => day],
    ['error_code', 'text', ({ errorCode }) => errorCode],
    ['calls', 'integer', ({ calls }) => calls],
  ],
  (names, rows) => `insert into stranger_days as d (${names})
    select day, error_code, sum(calls) ${rows} group by 1, 2 order by 1, 2
    on conflict (day, error_code) do update set ${more('calls')}`,
);
