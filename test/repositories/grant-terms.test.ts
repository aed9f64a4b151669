// The terms of a grant refer to rows that exist and belong together; other clients and firms cannot act on a grant.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES, NO_SCOPES, scopeSet } from '#core/scopes.ts';
import type { Database } from '#database/database.ts';
import type { Firm } from '#repositories/firms.ts';
import type { TermChanges } from '#repositories/grants/grant-terms.ts';
import {
  approveGrant,
  changeGrant,
  declineGrant,
  grantWithoutRequest,
  type NewGrant,
  requestGrant,
  revokeGrant,
  withdrawGrant,
} from '#repositories/grants/grants.ts';
import { makeScene, type Scene } from '#test/repositories/grant-scene.ts';
import {
  ahead,
  asClient,
  asMember,
  HOUR_MS,
  makeClient,
  makeCollection,
  makeFirm,
  makeItem,
  makeKey,
  makeMember,
  openMigrated,
  operator,
} from '#test/repositories/parties.ts';

let database: Database;
let close: () => Promise<void>;
let firm: Firm;
beforeAll(async () => {
  ({ database, close } = await openMigrated());
  firm = await makeFirm(database);
});
afterAll(() => close?.());

const refusal = (code: string) => expect.objectContaining({ name: 'Refusal', code });
const scene = () => makeScene(database, firm);
const request = ({ terms, member }: Scene) =>
  requestGrant(database, { ...terms, client: terms.clientId, purpose: 'Estate plan' }, member);

describe('the terms of a grant', () => {
  it('refer to existing items, collections and categories of the client', async () => {
    const { terms, client, owner } = await scene();
    const stranger = await makeClient(database);
    const [own, others] = [await makeItem(database, client), await makeItem(database, stranger)];
    const refused = (changes: Partial<NewGrant>) =>
      expect(grantWithoutRequest(database, { ...terms, ...changes }, owner)).rejects.toThrow(
        refusal('invalid_parameter'),
      );
    await refused({ scopes: NO_SCOPES });
    await refused({ expiresAt: ahead(-1_000) });
    await refused({ filter: { type: 'items', items: [own, others] } });
    await refused({ filter: { type: 'collection', collection: await makeCollection(database, stranger) } });
    await refused({ filter: { type: 'collection', collection: newId('collection') } });
    await refused({ filter: { type: 'category', categories: ['WT', 'XX'] } });
    const grant = await grantWithoutRequest(database, { ...terms, filter: { type: 'items', items: [own] } }, owner);
    const collection = await makeCollection(database, client);
    const changed = await changeGrant(database, grant.id, { filter: { type: 'collection', collection } }, owner);
    expect(changed.filter).toEqual({ type: 'collection', collection });
    const theirs = changeGrant(database, grant.id, { filter: { type: 'items', items: [others] } }, owner);
    await expect(theirs).rejects.toThrow(refusal('invalid_parameter'));
  });

  it('have one environment: a client of another is refused like one that does not exist', async () => {
    const { terms, member } = await scene();
    const production = await makeClient(database, 'production');
    const refused = (changes: Partial<NewGrant>) =>
      expect(grantWithoutRequest(database, { ...terms, ...changes }, operator)).rejects.toThrow(
        refusal('resource_not_found'),
      );
    await refused({ clientId: production.id });
    await refused({ clientId: newId('user') });
    await refused({ clientId: member.id });
    await refused({ keyId: newId('key') });
  });

  it('name no other firm’s test client, and none that was deleted', async () => {
    const { terms } = await scene();
    const refused = (clientId: string) =>
      expect(grantWithoutRequest(database, { ...terms, clientId }, operator)).rejects.toThrow(
        refusal('resource_not_found'),
      );
    const change = (what: string, ...values: unknown[]) =>
      database.query({ text: `update users set ${what} where id = $1`, values });
    const { id } = await makeClient(database);
    await change('test_firm_id = $2', id, (await makeFirm(database)).id);
    await refused(id);
    await change('test_firm_id = $2', id, firm.id);
    await change('deleted_at = now()', id);
    await refused(id);
    await change('deleted_at = null', id);
    expect(await grantWithoutRequest(database, { ...terms, clientId: id }, operator)).toMatchObject({ clientId: id });
  });

  it('may include scopes that the key lacks', async () => {
    const { client, terms } = await scene();
    const narrow = await makeKey(database, firm, { scopes: scopeSet(['registry']) });
    const grant = await grantWithoutRequest(
      database,
      { ...terms, keyId: narrow.id, scopes: ALL_SCOPES },
      asClient(client),
    );
    expect(grant.scopes).toBe(ALL_SCOPES);
  });
});

describe('an approval', () => {
  const items = (...chosen: string[]) => ({ filter: { type: 'items' as const, items: chosen } });
  const widening = expect.objectContaining({
    code: 'invalid_parameter',
    message: expect.stringContaining('not widen'),
  });

  it('has scopes, ends in the future, and names items of the client', async () => {
    const here = await scene();
    const others = await makeItem(database, await makeClient(database));
    const { id } = await request({ ...here, terms: { ...here.terms, expiresAt: ahead(HOUR_MS) } });
    const refused = async (terms: TermChanges) =>
      expect(approveGrant(database, id, terms, here.owner)).rejects.toThrow(refusal('invalid_parameter'));
    await refused({ scopes: NO_SCOPES });
    await refused({ expiresAt: ahead(-HOUR_MS) });
    await refused(items(others));
    await database.query({ text: "update grants set expires_at = now() - interval '1 s' where id = $1", values: [id] });
    await refused({});
  });

  it('for chosen items narrows a request for categories if all of them are the client’s and in these categories', async () => {
    const here = await scene();
    const [watch, picture] = [await makeItem(database, here.client), await makeItem(database, here.client, 'AR')];
    const others = await makeItem(database, await makeClient(database));
    const filter = { type: 'category' as const, categories: ['WT', 'CN'] };
    const { id } = await request({ ...here, terms: { ...here.terms, filter, expiresAt: ahead(HOUR_MS) } });
    const approve = (terms: TermChanges) => approveGrant(database, id, terms, here.owner);
    await expect(approve(items(picture))).rejects.toThrow(widening);
    await expect(approve(items(watch, picture))).rejects.toThrow(widening);
    await expect(approve(items(watch, others))).rejects.toThrow(widening);
    await expect(approve({ ...items(watch), scopes: ALL_SCOPES })).rejects.toThrow(widening);
    await expect(approve({ ...items(watch), expiresAt: ahead(2 * HOUR_MS) })).rejects.toThrow(widening);
    const approved = await approve({ ...items(watch), scopes: scopeSet(['registry']) });
    expect(approved).toMatchObject({ status: 'active', ...items(watch) });
  });

  it('for chosen items narrows a request for a collection if all of them are in it now', async () => {
    const here = await scene();
    const [inside, outside] = [await makeItem(database, here.client), await makeItem(database, here.client)];
    const collection = await makeCollection(database, here.client);
    const put = (item: string) =>
      database.query({
        text: 'insert into item_collections (item_id, collection_id) select id, $2 from items where registry_id = $1',
        values: [item, collection],
      });
    await put(inside);
    const forCollection = { ...here, terms: { ...here.terms, filter: { type: 'collection' as const, collection } } };
    await expect(request(forCollection)).rejects.toThrow(refusal('invalid_parameter'));
    // A firm can request a collection only if a grant already shows it.
    const shown = { ...here.terms, keyId: (await makeKey(database, firm)).id, scopes: ALL_SCOPES };
    await grantWithoutRequest(database, shown, here.owner);
    const { id } = await request(forCollection);
    const approve = () => approveGrant(database, id, items(inside, outside), here.owner);
    await expect(approve()).rejects.toThrow(widening);
    await put(outside);
    expect((await approve()).filter).toEqual({ type: 'items', items: [inside, outside] });
  });
});

describe('other clients and firms', () => {
  it('cannot act on a grant', async () => {
    const here = await scene();
    const other = await scene();
    const member = asMember(await makeMember(database, await makeFirm(database)));
    const expectNotFound = (attempt: Promise<unknown>) =>
      expect(attempt).rejects.toThrow(refusal('resource_not_found'));
    await expectNotFound(requestGrant(database, { ...here.terms, client: here.client.id, purpose: null }, member));
    await expectNotFound(grantWithoutRequest(database, here.terms, other.owner));
    const { id } = await request(here);
    await expectNotFound(approveGrant(database, id, {}, other.owner));
    await expectNotFound(declineGrant(database, id, other.owner));
    await expectNotFound(withdrawGrant(database, id, member));
    await approveGrant(database, id, {}, here.owner);
    await expectNotFound(changeGrant(database, id, { scopes: ALL_SCOPES }, other.owner));
    await expectNotFound(revokeGrant(database, id, other.owner));
    await expect(revokeGrant(database, id, here.member)).rejects.toThrow(refusal('forbidden'));
  });
});
