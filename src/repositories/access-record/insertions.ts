// Repositories: the rows that a batch of access records becomes, a statement for all rows of a table.
import type { AccessEvent, CallEvent, StrangerCount } from '#core/events.ts';
import { requestUuid } from '#core/ids.ts';
import { binaryList, type ListedType } from '#database/binary-lists.ts';
import type { Sql } from '#database/database.ts';
import { entrySql } from '../ledger/pending.ts';

/** Columns with their types, what is sent of a row, and what SQL makes of that. */
type Columns<Row> = readonly (readonly [
  name: string,
  type: ListedType,
  value: (row: Row, at: number) => unknown,
  sql?: (value: string) => string,
])[];

export interface Insertion<Row> {
  columns: Columns<Row>;
  /** Its statement, where the first parameter has this number. */
  text: (first: number) => string;
}

function insertion<Row>(columns: Columns<Row>, into: (names: string, rows: string) => string): Insertion<Row> {
  const names = columns.map(([name]) => name).join(', ');
  // Side by side in a select list: in `from`, each list would be written to a store of its own first.
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
  /** By which others of the statement refer to what it returns. */
  name?: string;
  text: (first: number) => string;
  values: readonly Buffer[];
}

/** None where there are no rows. */
export function inserting<Row>({ columns, text }: Insertion<Row>, rows: readonly Row[]): Insert[] {
  if (rows.length === 0) return [];
  return [{ text, values: columns.map(([, type, value]) => binaryList(type, rows.map(value))) }];
}

/** One statement for all tables. */
export async function insertTogether(sql: Sql, inserts: readonly Insert[]): Promise<void> {
  const values: Buffer[] = [];
  const texts = inserts.map((insert, at) => {
    const text = insert.text(values.length + 1);
    values.push(...insert.values);
    return `${insert.name ?? `t${at}`} as (${text})`;
  });
  if (texts.length > 0) await sql.query({ text: `with ${texts.join(',\n')} select`, values, prepare: true });
}

/** A call with the numbers of what repeats. */
export interface NumberedCall {
  event: CallEvent;
  shape: number | undefined;
  origin: number | undefined;
  key: number | undefined;
}

/** Of columns that are integers. */
const MOST = 2 ** 31 - 1;

/** Of a process that was frozen meanwhile, as much as the column can say. */
const microseconds = (milliseconds: number): number => Math.min(Math.round(milliseconds * 1_000), MOST);

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

/** The row of the ledger's queue that the calls are in, in their order. */
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

/** Adds to a sum of a day up to what its column can say: a flood of calls must not keep a batch from being saved. */
const more = (column: string): string => `${column} = least(d.${column}::bigint + excluded.${column}, ${MOST})`;

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
  // Two gateways meet the same rows in the same order.
  (names, rows) => `insert into access_days as d (${names}) select ${names} ${rows} order by 1, 2, 3, 4, 5, 6
    on conflict (firm_id, day, key_id, endpoint, status, error_code)
    do update set ${more('calls')}, ${more('unlisted')}`,
);

export const STRANGERS: Insertion<StrangerCount> = insertion<StrangerCount>(
  [
    ['day', 'date', ({ day }) => day],
    ['error_code', 'text', ({ errorCode }) => errorCode],
    ['calls', 'integer', ({ calls }) => calls],
  ],
  (names, rows) => `insert into stranger_days as d (${names})
    select day, error_code, sum(calls) ${rows} group by 1, 2 order by 1, 2
    on conflict (day, error_code) do update set ${more('calls')}`,
);
