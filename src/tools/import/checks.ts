// Tools: checks across rows, with one statement each, in the order of the files.
import { HOLD_IN_FORCE } from '#repositories/personal-data/legal-holds.ts';
import { DELETABLE, KINDS, type Kind, TABLES } from './kinds.ts';

/** A statement that returns `line` and `reason` of each row whose `field` is wrong. */
interface Check {
  kind: Kind;
  field: string;
  text: string;
}

const namedTwice = (kind: Kind): Check => ({
  kind,
  field: 'id',
  text: `select s.line, format('is on line %s already', d.first) as reason
    from (select id, min(line) as first from staged_${kind} where id is not null group by id having count(*) > 1) d
    join staged_${kind} s on s.id = d.id and s.line > d.first`,
});

const unknownClient = (kind: Kind): Check => ({
  kind,
  field: 'client_id',
  text: `select line, format('there is no client %s', client_id) as reason from staged_${kind} s
    where client_id is not null and not exists (select from import_clients c where c.id = s.client_id)`,
});

const changedClient = (kind: Kind): Check => ({
  kind,
  field: 'client_id',
  text: `select s.line, 'cannot change: the row belongs to another client' as reason
    from staged_${kind} s join ${TABLES[kind]} t on t.id = s.id and t.client_id <> s.client_id`,
});

const unknownAsset = (kind: Kind): Check => ({
  kind,
  field: 'asset_id',
  text: `select line, format('there is no asset %s', asset_id) as reason from staged_${kind} s
    where asset_id is not null and not exists (select from staged_assets a where a.id = s.asset_id)
      and not exists (select from items i where i.id = s.asset_id)
      and not exists (select from deleted_ids d where d.id = s.asset_id)`,
});

const changedOwner = (kind: Kind): Check => ({
  kind,
  field: 'asset_id',
  text: `select s.line, 'cannot change: the asset belongs to another client' as reason
    from staged_${kind} s join ${TABLES[kind]} t on t.id = s.id and t.item_id <> s.asset_id
    join items i on i.id = t.item_id
    where i.client_id <> coalesce(
      (select min(a.client_id) from staged_assets a where a.id = s.asset_id),
      (select o.client_id from items o where o.id = s.asset_id))`,
});

/** Data held on a client under a legal hold must not be deleted. */
const underHold = (kind: Kind): Check => {
  const owner =
    kind === 'valuations' || kind === 'documents'
      ? 'join items o on o.id = t.item_id'
      : `join ${TABLES[kind]} o on o.id = t.id`;
  return {
    kind,
    field: 'deleted_at',
    text: `select s.line, 'cannot be deleted: the client is under a legal hold' as reason
      from staged_${kind} s join ${TABLES[kind]} t on t.id = s.id ${owner}
      where s.deleted and exists (select from legal_holds h where h.user_id = o.client_id and ${HOLD_IN_FORCE})`,
  };
};

/** An address is free once the user who has it is removed. */
const IS_REMOVED = 'exists (select from users r where r.id = s.id and r.removed_at is not null)';

const USER_CHECKS: Check[] = [
  {
    kind: 'users',
    field: 'firm_id',
    text: `select line, format('there is no firm %s', firm_id) as reason from staged_users s
      where firm_id is not null and not exists (select from staged_firms f where f.id = s.firm_id and not f.deleted)
        and (not exists (select from firms f where f.id = s.firm_id)
          or exists (select from staged_firms f where f.id = s.firm_id and f.deleted))`,
  },
  {
    kind: 'users',
    field: 'firm_id',
    text: `select s.line, 'cannot change: the user''s firm is deleted by this import, with its members' as reason
      from staged_users s join users u on u.id = s.id and u.firm_id <> s.firm_id
      join staged_firms f on f.id = u.firm_id and f.deleted
      where not s.deleted`,
  },
  {
    kind: 'users',
    field: 'deleted_at',
    text: `select s.line, 'cannot be deleted: the user is under a legal hold' as reason from staged_users s
      where s.deleted and exists (select from legal_holds h where h.user_id = s.id and ${HOLD_IN_FORCE})`,
  },
  {
    kind: 'users',
    field: 'deleted_at',
    text: `select s.line, 'cannot be deleted: the user is one of operations' as reason
      from staged_users s join users u on u.id = s.id where s.deleted and u.role = 'ops'`,
  },
  {
    kind: 'firms',
    field: 'deleted_at',
    text: `select s.line, 'cannot be deleted: a member or a test client is under a legal hold' as reason from staged_firms s
      where s.deleted and exists (select from users m join legal_holds h on h.user_id = m.id
        where s.id in (m.firm_id, m.test_firm_id) and ${HOLD_IN_FORCE})`,
  },
  {
    kind: 'users',
    field: 'email',
    text: `select line, format('is on line %s already, in the same role', first) as reason from (
        select line, min(line) over (partition by lower(email), role, environment) as first
        from staged_users s where email is not null and not ${IS_REMOVED}) s
      where line > first`,
  },
  {
    kind: 'users',
    field: 'email',
    text: `select s.line, format('belongs to %s already, in the same role', u.id) as reason from staged_users s
      join users u on lower(u.email) = lower(s.email) and u.role = s.role
        and coalesce(u.environment, '') = coalesce(s.environment, '') and u.id <> s.id and u.removed_at is null
      where not exists (select from staged_users o where o.id = u.id) and not ${IS_REMOVED}`,
  },
  {
    kind: 'users',
    field: 'role',
    text: `select s.line, format('cannot change: the user is a %s', u.role) as reason
      from staged_users s join users u on u.id = s.id and u.role <> s.role`,
  },
  {
    kind: 'users',
    field: 'environment',
    text: `select s.line, 'cannot change: the client '
        || case when u.test_firm_id is null then 'has assets, collections or grants' else 'is a test client of a firm' end as reason
      from staged_users s join users u on u.id = s.id and u.environment <> s.environment
      where u.test_firm_id is not null or exists (select from items i where i.client_id = u.id)
        or exists (select from collections c where c.client_id = u.id)
        or exists (select from grants g where g.client_id = u.id)`,
  },
  {
    kind: 'users',
    field: 'reporting_currency',
    text: `select s.line, 'cannot change: the client has assets' as reason
      from staged_users s join users u on u.id = s.id and u.reporting_currency <> s.reporting_currency
      where exists (select from items i where i.client_id = u.id)`,
  },
];

const ASSET_CHECKS: Check[] = [
  {
    kind: 'assets',
    field: 'market_value',
    text: `select s.line, format('has more than the %s decimals of %s', k.decimals, k.code) as reason
      from staged_assets s join import_clients c on c.id = s.client_id
      join import_currencies k on k.code = c.reporting_currency
      where scale(s.market_value) > k.decimals`,
  },
  {
    kind: 'assets',
    field: 'collection_ids',
    text: `select line, format('there is no collection %s', collection_id) as reason from staged_memberships m
      where not exists (select from staged_collections c where c.id = m.collection_id)
        and not exists (select from collections c where c.id = m.collection_id)
        and not exists (select from deleted_ids d where d.id = m.collection_id)`,
  },
  {
    kind: 'assets',
    field: 'collection_ids',
    text: `select distinct m.line, format('%s is not a collection of this client', m.collection_id) as reason
      from staged_memberships m
      left join staged_collections s on s.id = m.collection_id left join collections c on c.id = m.collection_id
      where coalesce(s.client_id, c.client_id) <> m.client_id`,
  },
  {
    kind: 'assets',
    field: 'share_links',
    text: `select s.line, format('%s is on line %s already', s.id, d.first) as reason
      from (select id, min(line) as first, min(ctid) as row from staged_share_links group by id having count(*) > 1) d
      join staged_share_links s on s.id = d.id and s.ctid > d.row`,
  },
  {
    kind: 'assets',
    field: 'share_links',
    text: `select s.line, format('%s belongs to another asset', s.id) as reason
      from staged_share_links s join share_links l on l.id = s.id and l.item_id <> s.item_id`,
  },
];

export const CHECKS: readonly Check[] = [
  ...KINDS.map(namedTwice),
  ...USER_CHECKS,
  ...DELETABLE.map(underHold),
  unknownClient('collections'),
  changedClient('collections'),
  unknownClient('assets'),
  changedClient('assets'),
  ...ASSET_CHECKS,
  ...(['valuations', 'documents'] as const).flatMap((kind) => [unknownAsset(kind), changedOwner(kind)]),
];
