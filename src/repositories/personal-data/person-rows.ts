// Repositories: data held on a person other than a portfolio and its record: account, sessions, settings, mails. No
// secrets.
import type { Sql } from '#database/database.ts';
import { FORMER_ADDRESSES } from './client-traces.ts';

/** SQL with the user's id as `$1`, by the kind of rows. Each result is read as a whole. */
const OF_PERSON: Readonly<Record<string, string>> = {
  profile: `select u.id, u.created_at, u.updated_at, u.populated_at, u.test_firm_id, u.deleted_at, z.zone, z.noted_at as zone_noted_at
    from users u left join person_zones z on z.user_id = u.id where u.id = $1`,
  account:
    'select id, email, name, email_verified, image, two_factor_enabled, created_at, updated_at from own_account order by id',
  sign_in: `select c.id, c.provider, c.subject, c.oauth_scope, c.created_at, c.updated_at
    from own_account a join portal_credentials c on c.account_id = a.id order by c.id`,
  session: `select s.id, s.acting_user_id, s.provider, s.ip_address, s.user_agent, s.new_device, s.with_second_factor,
      s.created_at, s.updated_at, s.expires_at
    from own_account a join portal_sessions s on s.account_id = a.id order by s.id`,
  passkey: `select p.id, p.name, p.synced, p.transports, p.created_at, p.last_used_at
    from own_account a join portal_passkeys p on p.account_id = a.id order by p.id`,
  account_event: `select e.at, split_part(e.actor, ':', 1) as actor, e.action, e.details
    from own_account a join account_events e on e.account_id = a.id order by e.id`,
  muted_topic: 'select topic, muted_at from muted_topics where user_id = $1 order by topic',
  notice: `select n.kind, n.subject, n.details, n.created_at, n.ended_at, n.outcome from notices n
    where n.recipient = $1 or n.recipient in (select id from own_account) order by n.id`,
  invitation: `select i.id, i.firm_id, f.name as firm_name, i.email, i.name, i.role, i.created_at, i.expires_at, i.ended_at, i.outcome
    from firm_invitations i join firms f on f.id = i.firm_id join own_address using (email) order by i.id`,
  // Requests that named this person but reached nobody, such as a client of another environment.
  unreached_request: `select g.id, k.firm_id, f.name as firm_name, g.addressee, g.purpose, g.created_at
    from grants g join api_keys k on k.id = g.lineage_id join firms f on f.id = k.firm_id
    where g.client_id is null and lower(g.addressee) in (select email from own_address union select lower($1)) order by g.id`,
};

/** By kind. */
export async function* personRows(
  sql: Sql,
  userId: string,
): AsyncGenerator<[kind: string, rows: Record<string, unknown>[]]> {
  for (const [kind, text] of Object.entries(OF_PERSON))
    yield [
      kind,
      await sql.query({
        text: `with own_address as (
            select lower(u.email) as email from users u where u.id = $1
            union select former.email from users u cross join lateral (${FORMER_ADDRESSES}) former where u.id = $1),
          own_account as (select a.* from portal_accounts a join own_address using (email))
          ${text}`,
        values: [userId],
      }),
    ];
}
