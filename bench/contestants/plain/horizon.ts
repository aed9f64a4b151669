// Bench, hand-written gateways: the sync horizon within the statement that admits a request, as a database function.

/**
 * For a pair of key and client. The statement's snapshot is older than the horizon: if the view has changed in between,
 * the horizon must be before that change.
 */
export const HORIZON_FUNCTION = `
create or replace function floor_horizon(lineage text, client text, seen timestamptz) returns timestamptz
language plpgsql volatile as $$
declare
  horizon timestamptz := sync_horizon();
  changed timestamptz;
begin
  select greatest(g.view_changed_at, u.populated_at) into changed
  from users u left join lateral (
    select view_changed_at from grants where lineage_id = lineage and client_id = u.id and activated_at is not null
    order by activated_at desc, id desc limit 1) g on true
  where u.id = client;
  return case when changed is distinct from seen then least(horizon, changed) else horizon end;
end $$`;
