// Repositories: the user behind a portal request, read anew for every request.
import type { FirmRole } from '#core/firm-roles.ts';
import type { PortfolioView, Principal } from '#core/principal.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import type { Sql } from '#database/database.ts';
import { LOG_POSITION } from '#database/snapshot.ts';

export type Person = Extract<Principal, { kind: 'firm_member' | 'client' | 'operator' }>;

interface Row {
  id: string;
  role: 'firm_member' | 'client' | 'ops';
  firmId: string | null;
  firmRole: FirmRole | null;
  reportingCurrency: string | null;
  changedAt: string;
  horizon: string | null;
  position: string;
}

/** The caller for this user; clients see their whole portfolio. Null if the user does not exist any more. */
export async function readPerson(sql: Sql, userId: string): Promise<Person | null> {
  // The position is read after the horizon: a replica at that position has every change before the horizon.
  const text = `with person as materialized (
      select id, role, firm_id as "firmId", firm_role as "firmRole", reporting_currency as "reportingCurrency",
        coalesce(populated_at, created_at) as "changedAt",
        case when role = 'client' then sync_horizon() end as horizon
      from users where id = $1 and removed_at is null)
    select person.*, ${LOG_POSITION} as position from person`;
  const [row] = await sql.query<Row>({ text, values: [userId], prepare: true });
  return row === undefined ? null : personOf(row);
}

function personOf({ id, role, firmId, firmRole, reportingCurrency, changedAt, horizon, position }: Row): Person {
  switch (role) {
    case 'firm_member':
      return { kind: 'firm_member', userId: id, firmId: firmId ?? '', role: firmRole ?? 'auditor' };
    case 'ops':
      return { kind: 'operator', userId: id };
    case 'client': {
      const view: PortfolioView = {
        clientId: id,
        reportingCurrency: reportingCurrency ?? '',
        scopes: ALL_SCOPES,
        keyScopes: ALL_SCOPES,
        filter: { type: 'all' },
        changedAt,
        horizon,
        position,
      };
      return { kind: 'client', userId: id, view };
    }
    default:
      return role satisfies never;
  }
}
