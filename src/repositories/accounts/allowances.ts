// Repositories: exact limits over hours or days, shared by all gateways.
import { Refusal } from '#core/errors.ts';
import type { Sql } from '#database/database.ts';

export interface Allowance {
  /** Maximum within any period of `hours`. */
  max: number;
  hours: number;
}

/**
 * Counts one use. If it would exceed the allowance, throws Refusal `rate_limit_exceeded` with this message and the time
 * until the next use is allowed.
 */
export async function takeAllowance(
  sql: Sql,
  subject: string,
  { max, hours }: Allowance,
  message: string,
): Promise<void> {
  const [counted] = await sql.query({
    text: `insert into allowances as a (subject, taken, forget_after)
      values ($1, array[now_ms()], now_ms() + $3 * interval '1 hour')
      on conflict (subject) do update set forget_after = excluded.forget_after,
        taken = array(select at from unnest(a.taken) at where at > now_ms() - $3 * interval '1 hour') || excluded.taken
      where (select count(*) from unnest(a.taken) at where at > now_ms() - $3 * interval '1 hour') < $2
      returning 1`,
    values: [subject, max, hours],
  });
  if (counted !== undefined) return;
  const [next] = await sql.query<{ seconds: number }>({
    text: `select ceil(extract(epoch from min(at) + $2 * interval '1 hour' - now_ms()))::int as seconds
      from allowances, unnest(taken) at where subject = $1 and at > now_ms() - $2 * interval '1 hour'`,
    values: [subject, hours],
  });
  throw new Refusal('rate_limit_exceeded', { message, retryAfter: Math.max(1, next?.seconds ?? 1) });
}
