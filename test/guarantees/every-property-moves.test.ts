// Guarantee: a change of any P1 property that a partner can see changes updated_at, revision, delta and ETag; a change
// of a P0 property changes none of them. The properties are read from the entities, so new ones are covered; one for
// which no other value is known fails.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { entities } from '#database/entities/index.ts';
import { tierOf } from '#database/entities/tier.ts';
import { createOrm } from '#database/orm.ts';
import type { User } from '#repositories/users.ts';
import { backdate, changesSince, idsOf, syncPoint } from '#test/support/delta.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { portrait } from '#test/support/portrait.ts';
import { furnish, type Item, makeClient, makeItem } from '#test/support/scenario.ts';

interface Scene {
  partner: Partner;
  item: Item;
  sibling: Item;
  collection: string;
  /** Another client. */
  stranger: User;
}

interface Property {
  /** `Entity.property`. */
  name: string;
  table: string;
  column: string;
  type: string;
  nullable: boolean;
}

/** Entities that are visible in an asset, each with the condition for a row that the scene's first item shows. */
const ROWS: Record<string, (scene: Scene) => string> = {
  Item: ({ item }) => `id = '${item.id}'`,
  Valuation: ({ item }) => firstOf('valuations', item),
  Document: ({ item }) => firstOf('documents', item),
  ShareLink: ({ item }) => firstOf('share_links', item),
  Collection: ({ collection }) => `id = '${collection}'`,
  ItemCollection: ({ item }) => `item_id = '${item.id}'`,
  User: ({ partner }) => `id = '${partner.client.id}'`,
};

const firstOf = (table: string, item: Item) => `id = (select min(id) from ${table} where item_id = '${item.id}')`;

/** Entities with P1 properties that no asset shows, each with the reason. */
const ELSEWHERE: Record<string, string> = {
  AccessCall: 'is shown to people at the portal',
  AccessRecord: 'is copied to AccessCall',
  AccountEvent: 'is the record of what was done to an account',
  FirmEvent: 'is shown to people at the portal',
  FirmInvitation: 'is a mail to a person',
  FirmRefusal: 'is shown to people at the portal',
  Change: 'is part of change detection',
  DeletedId: 'prevents the reuse of ids',
  DeletedItem: 'names deleted items in the access record',
  Grant: 'defines the view; a change makes the next sync full',
  GrantEvent: 'is shown to people at the portal',
  ItemChange: 'is part of change detection',
  ItemCompleteness: 'is computed by triggers from documents',
  LegalHold: 'is set by operations for a person',
  Notice: 'is a mail to a person',
  PersonZone: 'is the time zone of mails to a person',
  Plant: 'belongs to area B',
  PortalAccount: 'belongs to a person at the portal',
  PortalCredential: 'belongs to a person at the portal',
  PortalPasskey: 'belongs to a person at the portal',
  PortalSession: 'belongs to a person at the portal',
  PortfolioTotal: 'is computed by triggers from items',
  Removal: 'is part of change detection',
  Revocation: 'is repeated after a restore',
};

/** P1 properties that are in no response of area A. */
const UNSEEN = ['Collection.createdAt', 'Collection.updatedAt', 'User.email', 'User.name'];

/** Properties that no statement can change. */
const FIXED = [
  'Collection.id',
  'Item.clientId',
  'Item.id',
  'Item.registryId',
  'ItemCollection.collectionId',
  'ItemCollection.itemId',
];

/** Set by the database: a statement that writes only these changes nothing. */
const STAMPS = ['Document.updatedAt', 'Item.updatedAt'];

/** Another value for columns with special formats, as SQL. */
const VALUES: Record<string, (scene: Scene) => string> = {
  'Collection.clientId': ({ stranger }) => `'${stranger.id}'`,
  'Document.id': () => `'${newId('document')}'`,
  'Document.itemId': ({ sibling }) => `'${sibling.id}'`,
  'Document.type': () => "'other'",
  'Item.category': () => "'PM'",
  'ShareLink.id': () => `'${newId('share_link')}'`,
  'ShareLink.itemId': ({ sibling }) => `'${sibling.id}'`,
  'User.reportingCurrency': () => "'EUR'",
  'Valuation.id': () => `'${newId('valuation')}'`,
  'Valuation.itemId': ({ sibling }) => `'${sibling.id}'`,
  'Valuation.source': () => "'user_estimate'",
};

/** Another value for any column of the type, as SQL. */
const OTHERS: [type: RegExp, another: (property: Property) => string][] = [
  [/^text$/, ({ column }) => `coalesce(${column}, '') || '!'`],
  [/^timestamptz/, ({ column }) => `coalesce(${column}, now()) + interval '1 day'`],
  [/^date$/, ({ column }) => `coalesce(${column}, current_date) + 1`],
  [/^(numeric|bigint|int|smallint)/, ({ column }) => `coalesce(${column}, 0) + 1`],
  [/^jsonb$/, ({ column, nullable }) => (nullable ? `case when ${column} is null then '[]'::jsonb end` : "'[]'")],
];

let gateway: TestGateway;
const orm = createOrm();
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

async function makeScene(): Promise<Scene> {
  const client = await makeClient(gateway.database);
  const item = await makeItem(gateway.database, client);
  const sibling = await makeItem(gateway.database, client);
  const { collectionId: collection } = await furnish(gateway.database, client, item);
  const partner = await makePartner(gateway, { client });
  await backdate(gateway, partner);
  return { partner, item, sibling, collection, stranger: await makeClient(gateway.database) };
}

const properties = (tier: 'P0' | 'P1'): { name: string; entity: string; property: string }[] =>
  entities.flatMap(({ meta }) =>
    Object.entries(meta.properties as Record<string, { comment?: string }>).flatMap(([property, { comment }]) =>
      tierOf(comment) === tier ? [{ name: `${meta.className}.${property}`, entity: meta.className, property }] : [],
    ),
  );

/** From the ORM's metadata: column types are known only after it has processed all entities. */
function described(entity: string, property: string): Property {
  const { tableName, props } = [...orm.getMetadata().getAll().values()].find(
    ({ className }) => className === entity,
  ) as {
    tableName: string;
    props: { name: string; fieldNames: string[]; columnTypes: string[]; nullable?: boolean }[];
  };
  const { fieldNames, columnTypes, nullable = false } = props.find(({ name }) => name === property) ?? {};
  const [column = '', type = ''] = [fieldNames?.[0], columnTypes?.[0]];
  return { name: `${entity}.${property}`, table: tableName, column, type, nullable };
}

function changeOf(entity: string, property: string, scene: Scene): string {
  const found = described(entity, property);
  const value = VALUES[found.name]?.(scene) ?? OTHERS.find(([type]) => type.test(found.type))?.[1](found);
  if (value === undefined) throw new Error(`no other value is known for ${found.name} (${found.type})`);
  return `update ${found.table} set ${found.column} = ${value} where ${ROWS[entity]?.(scene)} returning 1`;
}

const run = (text: string) => gateway.database.query<{ revision: number; updated_at: string }>({ text });
const stateOf = async ({ id }: Item) =>
  (await run(`select revision, updated_at from items where id = '${id}'`))[0] as {
    revision: number;
    updated_at: string;
  };

const pathsOf = ({ item }: Scene) =>
  [`/assets/${item.registryId}`, '/assets'].map((path) => `${path}?include=valuations,documents`);

/** Each path twice, so that the responses are cached. */
const tagsOf = async (scene: Scene): Promise<string[]> => {
  const tags: string[] = [];
  for (const path of [...pathsOf(scene), ...pathsOf(scene)])
    tags.push((await scene.partner.get(path)).headers.get('etag') ?? '');
  return tags.slice(2);
};

const conditionally = (scene: Scene, tags: readonly string[]) =>
  Promise.all(
    pathsOf(scene).map(async (path, at) => {
      const { status } = await scene.partner.get(path, { headers: { 'If-None-Match': tags[at] ?? '' } });
      return status;
    }),
  );

/** What a partner observes before and after the statement. */
async function observe(scene: Scene, statement: string) {
  const tags = await tagsOf(scene);
  const since = await syncPoint(scene.partner);
  const before = await stateOf(scene.item);
  expect(await run(statement)).toHaveLength(1);
  const after = await stateOf(scene.item);
  const moved = idsOf(await changesSince(scene.partner, since)).sort();
  return { before, after, moved, statuses: await conditionally(scene, tags) };
}

const all = properties('P1');
const shown = all.filter(({ entity, name }) => entity in ROWS && !UNSEEN.includes(name));
const changeable = shown.filter(({ name }) => !FIXED.includes(name) && !STAMPS.includes(name));

it('every entity with a P1 property is listed as visible in an asset or as shown elsewhere', () => {
  const listed = [...Object.keys(ROWS), ...Object.keys(ELSEWHERE)].sort();
  expect([...new Set(all.map(({ entity }) => entity))].sort()).toEqual(listed);
  const names = all.map(({ name }) => name);
  for (const name of [...UNSEEN, ...FIXED, ...STAMPS, ...Object.keys(VALUES)]) expect(names).toContain(name);
});

describe('a change of', () => {
  it.each(changeable)('$name changes updated_at, revision, delta and ETag', async ({ entity, property }) => {
    const scene = await makeScene();
    const { before, after, moved, statuses } = await observe(scene, changeOf(entity, property, scene));
    expect(after.revision).toBeGreaterThan(before.revision);
    expect(after.updated_at > before.updated_at).toBe(true);
    const everyItem = property === 'itemId' || entity === 'User';
    expect(moved).toEqual(everyItem ? [scene.item.id, scene.sibling.id].sort() : [scene.item.id]);
    expect(statuses).toEqual([200, 200]);
  });

  it.each(shown.filter(({ name }) => FIXED.includes(name)))('$name is refused', async ({ entity, property }) => {
    const scene = await makeScene();
    await expect(run(changeOf(entity, property, scene))).rejects.toThrow();
  });

  it.each(shown.filter(({ name }) => STAMPS.includes(name)))(
    '$name alone changes nothing',
    async ({ entity, property }) => {
      const scene = await makeScene();
      const { before, after, moved, statuses } = await observe(scene, changeOf(entity, property, scene));
      expect(after).toEqual(before);
      expect(moved).toEqual([]);
      expect(statuses).toEqual([304, 304]);
    },
  );

  it.each(all.filter(({ name }) => UNSEEN.includes(name)))(
    '$name changes no response',
    async ({ entity, property }) => {
      const scene = await makeScene();
      const registryIds = [scene.item.registryId];
      const before = await portrait(scene.partner, registryIds);
      await run(changeOf(entity, property, scene));
      expect(await portrait(scene.partner, registryIds)).toEqual(before);
    },
  );

  it.each(properties('P0').filter(({ entity }) => entity in ROWS))(
    '$name, which is P0, changes nothing and no response',
    async ({ entity, property }) => {
      const scene = await makeScene();
      const registryIds = [scene.item.registryId];
      const portrayed = await portrait(scene.partner, registryIds);
      const { before, after, moved, statuses } = await observe(scene, changeOf(entity, property, scene));
      expect(after).toEqual(before);
      expect(moved).toEqual([]);
      expect(statuses).toEqual([304, 304]);
      expect(await portrait(scene.partner, registryIds)).toEqual(portrayed);
    },
  );
});
