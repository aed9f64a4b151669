// Repositories: the monthly partitions of the access record.
import type { Sql } from '#database/database.ts';
import { readColumn, readValue } from '#database/rows.ts';

/** The clients' record, and the firms' view of their refused calls. Each has a partition for each UTC month. */
const TABLES = ['access_calls', 'firm_refusals'] as const;

/** Fewer days ahead than this are reported: months are created two months before they begin. */
export const MIN_DAYS_AHEAD = 14;

export interface Month {
  table: string;
  /** Name of the partition. */
  name: string;
  /** RFC 3339; `until` is exclusive. */
  from: string;
  until: string;
  /** A month that is leaving or detached is invisible to readers, and no call can be saved to it. */
  state: 'attached' | 'leaving' | 'detached';
}

/**
 * Creates missing months, and attaches detached ones again. Months are given by their first day. Returns the names of
 * those added.
 */
export function addMonths(sql: Sql, months: readonly string[], tables: readonly string[] = TABLES): Promise<string[]> {
  const text = `select parent || to_char(month, '_YYYY_MM') as name
    from (select parent, month from unnest($1::text[]) parent, unnest($2::date[]) month order by 1, 2) wanted
    where add_access_month(parent, month)`;
  return readColumn(sql, { text, values: [tables, months] });
}

const MONTHS = `select parent as table, inhrelid::regclass::text as name, bounds[1]::timestamptz as "from",
    bounds[2]::timestamptz as until, case when inhdetachpending then 'leaving' else 'attached' end as state
  from unnest($1::text[]) parent join pg_inherits on inhparent = parent::regclass join pg_class c on c.oid = inhrelid
  cross join lateral regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''(.*)''\\) TO \\(''(.*)''\\)') bounds`;

/** Partitions, oldest first. */
export function listMonths(sql: Sql): Promise<Month[]> {
  return sql.query<Month>({ text: `${MONTHS} order by 1, 3`, values: [TABLES] });
}

/** Tables of months that were detached but not dropped yet. */
export function listDetached(sql: Sql): Promise<Month[]> {
  const text = `select parent as table, c.oid::regclass::text as name, month as "from", 'detached' as state,
      (month at time zone 'UTC' + interval '1 month') at time zone 'UTC' as until
    from unnest($1::text[]) parent join pg_class p on p.oid = parent::regclass
    join pg_class c on c.relnamespace = p.relnamespace and c.relkind = 'r' and not c.relispartition
      and c.relname ~ ('^' || parent || '_\\d{4}_\\d{2}$')
    cross join lateral (select (to_date(right(c.relname, 7), 'YYYY_MM')::timestamp at time zone 'UTC')) as of (month)
    order by 1, 3`;
  return sql.query<Month>({ text, values: [TABLES] });
}

/** Open transactions of other sessions that have read or written the table. */
export function transactionsOn(sql: Sql, table: string): Promise<string[]> {
  const text = `select virtualtransaction as transaction from pg_locks
    where locktype = 'relation' and database = (select oid from pg_database where datname = current_database())
      and relation = $1::regclass and granted and pid is distinct from pg_backend_pid()`;
  return readColumn(sql, { text, values: [table] });
}

/** For how many days from now both tables have partitions; negative if one of them has none for the present. */
export function daysAhead(sql: Sql): Promise<number> {
  const text = `with months as (${MONTHS}),
      taken as (select "table", range_agg(tstzrange("from", until)) as spans from months where state = 'attached' group by 1)
    select min(coalesce(floor(extract(epoch from upper(span) - now()) / 86400), -1))::integer as days
    from unnest($1::text[]) name left join taken on taken.table = name
    left join lateral (select span from unnest(spans) span where span @> now()) reached on true`;
  return readValue(sql, { text, values: [TABLES] });
}
