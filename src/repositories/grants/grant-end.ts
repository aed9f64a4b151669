// Repositories: the SQL that ends grants and records the steps.

interface GrantEnd {
  /** SQL condition on the grant `g`. */
  where: string;
  /** SQL of the actor whose step it is. */
  actor: string;
  /** What becomes of a request that was not answered. A firm goes on seeing one that was declined as pending. */
  pending: 'declined' | 'withdrawn';
  /** SQL of another relation that `where` and `actor` name. */
  from?: string;
}

/**
 * SQL of two subqueries, `ended` and `recorded`: active grants are revoked, all others get the state of `pending`. An
 * expired grant ends at its expiry. `ended` returns the grants.
 */
export const endGrants = ({ where, actor, pending, from }: GrantEnd): string => `ended as (
    update grants g set status = case g.status when 'active' then 'revoked' else '${pending}' end,
      ended_at = case g.status when 'active' then least(g.expires_at, now_ms()) else now_ms() end,
      untold = ${pending === 'declined' ? "g.status = 'pending'" : 'false'}
    -- In one order: two acts that end the same grants could otherwise deadlock.
    from (select g.id from grants g ${from === undefined ? '' : `cross join ${from}`} where ${where}
      order by g.id for no key update of g) held
    where g.id = held.id returning g.id, g.status),
  recorded as (
    insert into grant_events (grant_id, actor, action)
    select id, ${actor}, case status when 'revoked' then 'revoke' else '${pending === 'declined' ? 'decline' : 'withdraw'}' end
    from ended)`;
