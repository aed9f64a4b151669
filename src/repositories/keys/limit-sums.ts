// Repositories: calls admitted and refused by limits in the last hour and day, of all gateways, by key and tier.
import type { Tier } from '#core/tiers.ts';
import type { Sql } from '#database/database.ts';
import { listsOf, readRow } from '#database/rows.ts';
import { deleteUnlocked } from '../delete-unlocked.ts';

interface LimitCounts {
  admitted: number;
  refused: number;
  near: number;
  letPass: number;
}

/** Width and number of the bars. Older data is not retained. */
const SPANS = { hour: { seconds: 60, bars: 60 }, day: { seconds: 900, bars: 96 } } as const;
export type LimitSpan = keyof typeof SPANS;
export const LIMIT_SPANS = Object.keys(SPANS) as LimitSpan[];

/** `sums` that were made `ageSeconds` ago. */
export interface SavedSums {
  ageSeconds: number;
  sums: readonly (LimitCounts & { keyId: string; tier: Tier })[];
}

/**
 * Adds the sums to those of other gateways, for both spans. Times are by the database's clock, so that the gateways'
 * clocks do not matter.
 */
export async function saveLimitSums(sql: Sql, waiting: readonly SavedSums[]): Promise<void> {
  const rows = waiting.flatMap(({ ageSeconds, sums }) => sums.map((sum) => ({ ...sum, ageSeconds })));
  await sql.query({
    text: `insert into limit_sums as s (seconds, at, key_id, tier, admitted, refused, near, let_pass)
      select w.seconds, date_bin(w.seconds * interval '1 second', now_ms() - r.age * interval '1 second', 'epoch'),
        r.key_id, r.tier, sum(r.admitted), sum(r.refused), sum(r.near), sum(r.let_pass)
      from unnest($1::float8[], $2::text[], $3::text[], $4::integer[], $5::integer[], $6::integer[], $7::integer[])
        as r(age, key_id, tier, admitted, refused, near, let_pass)
      cross join (values (60::smallint), (900::smallint)) w(seconds)
      group by 1, 2, 3, 4
      -- Two gateways meet the same rows in the same order.
      order by 1, 2, 3, 4
      on conflict (seconds, at, key_id, tier) do update set admitted = s.admitted + excluded.admitted,
        refused = s.refused + excluded.refused, near = s.near + excluded.near, let_pass = s.let_pass + excluded.let_pass`,
    values: listsOf(rows, 'ageSeconds', 'keyId', 'tier', 'admitted', 'refused', 'near', 'letPass'),
    prepare: true,
  });
}

/** Deletes rows older than the spans. A key thus has 60 and 96 rows, plus those added between two runs. */
export async function forgetLimitSums(sql: Sql): Promise<void> {
  const old = `where seconds = 60 and at < now_ms() - interval '62 minutes'
    or seconds = 900 and at < now_ms() - interval '24 hours 30 minutes'`;
  await deleteUnlocked(sql, 'limit_sums', old);
}

export interface LimitHistory {
  /** Width of a bar in seconds. */
  seconds: number;
  /** Oldest first, the last one still in progress. Bars without calls are included. */
  bars: (LimitCounts & { at: string })[];
  tiers: (LimitCounts & { tier: Tier })[];
  /** Sorted by refusals, then by calls near a limit, then by calls, all descending. */
  keys: (LimitCounts & { keyId: string; name: string; firmName: string; environment: string })[];
  /** Number of keys with calls; `keys` contains the first of them. */
  keyCount: number;
}

const MAX_KEYS = 50;
const COUNTS = ['admitted', 'refused', 'near', 'letPass']
  .map((name) => `coalesce("${name}", 0) as "${name}"`)
  .join(', ');

/** Of all keys, those of a tier, or one key. Calls count under the tier that the key had at the time. */
export async function limitHistory(
  sql: Sql,
  span: LimitSpan,
  { tier, keyId }: { tier: Tier | null; keyId: string | null },
): Promise<LimitHistory> {
  const { seconds, bars } = SPANS[span];
  const text = `
with bars as (
  select generate_series(newest - ($2 - 1) * width, newest, width) as at
  from (select $1 * interval '1 second' as width) w, date_bin(width, now_ms(), 'epoch') newest),
sums as materialized (
  select at, tier, key_id, sum(admitted)::integer as admitted, sum(refused)::integer as refused,
  sum(near)::integer as near, sum(let_pass)::integer as "letPass"
  from limit_sums where seconds = $1 and at >= (select min(at) from bars)
  and ($3::text is null or tier = $3) and ($4::text is null or key_id = $4)
  group by grouping sets ((at), (tier), (key_id))),
keys as (
  select k.id as "keyId", k.name, f.name as "firmName", k.environment, ${COUNTS}
  from sums s join api_keys k on k.id = s.key_id join firms f on f.id = k.firm_id)
select $1::integer as seconds,
  (select json_agg(b order by b.at) from (
  select b.at, ${COUNTS} from bars b left join sums s on s.at = b.at) b) as bars,
  (select coalesce(json_agg(t), '[]') from (select tier, ${COUNTS} from sums where tier is not null) t) as tiers,
  (select coalesce(json_agg(k), '[]') from (
  select * from keys order by refused desc, near desc, admitted desc, "keyId" limit ${MAX_KEYS}) k) as keys,
  (select count(*)::integer from keys) as "keyCount"`;
  const { bars: found, ...rest } = await readRow<LimitHistory>(sql, { text, values: [seconds, bars, tier, keyId] });
  return { ...rest, bars: found.map((bar) => ({ ...bar, at: new Date(bar.at).toISOString() })) };
}
