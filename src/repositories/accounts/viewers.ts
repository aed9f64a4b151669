// Repositories: the signed-in user, with their firm.
import { Refusal } from '#core/errors.ts';
import type { FirmRole } from '#core/firm-roles.ts';
import type { Sql } from '#database/database.ts';
import type { Firm } from '../firms.ts';
import { FIRM_LIMIT, PLAN_ACTIVE } from '../status-sql.ts';

export interface ViewerRecord {
  userId: string;
  name: string;
  email: string;
  role: string;
  /** Set for firm members. */
  firmRole: FirmRole | null;
  environment: string | null;
  firm: Pick<Firm, 'id' | 'name' | 'plan' | 'planActive' | 'tier' | 'requestLimit'> | null;
}

/** Throws Refusal `resource_not_found`. */
export async function requireViewer(sql: Sql, userId: string): Promise<ViewerRecord> {
  const text = `select u.id as "userId", u.name, u.email, u.role, u.firm_role as "firmRole", u.environment,
      case when f.id is not null then json_build_object('id', f.id, 'name', f.name, 'plan', f.plan,
        'planActive', ${PLAN_ACTIVE}, 'tier', f.tier, 'requestLimit', ${FIRM_LIMIT}) end as firm
    from users u left join firms f on f.id = u.firm_id where u.id = $1`;
  const [viewer] = await sql.query<ViewerRecord>({ text, values: [userId] });
  if (viewer === undefined) throw new Refusal('resource_not_found');
  return viewer;
}
