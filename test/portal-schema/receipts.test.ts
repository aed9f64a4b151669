// Guarantee: each step of a grant has a receipt of the terms in force after it, whose signature anyone can verify.

import { randomUUID } from 'node:crypto';
import { compactVerify, createLocalJWKSet } from 'jose';
import { describe, expect, it } from 'vitest';
import { scopeSet } from '#core/scopes.ts';
import { openDatabase } from '#database/database.ts';
import type { Receipt } from '#gateway/consent/receipt.ts';
import {
  type KeySet,
  readKeySet,
  rotateSigningKey,
  type SignedReceipt,
  signReceipt,
  verifyReceipt,
} from '#gateway/consent/receipt-signature.ts';
import { eraseClient } from '#gateway/personal-data/erase.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { repeatRevocations } from '#repositories/revocations.ts';
import { createMigratedDatabase } from '#test/support/database.ts';
import { type Ask, codeOf } from '#test/support/portal.ts';
import { withScene } from '#test/support/portal-scene.ts';
import { call, makeClient, makeGrant, makeKey } from '#test/support/scenario.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

const scene = withScene();

const published = async (): Promise<KeySet> => (await call(`${scene.gateway.url}/.well-known/jwks.json`, null)).body;

/** The receipt as the portal's file. */
async function fileOf(ask: Ask, id: string, eventId: string): Promise<string> {
  const { receipt } = await ask(QUERIES.receipt, { id, eventId });
  return JSON.stringify({ receipt: JSON.parse(receipt.receipt), jws: receipt.jws });
}

/** The verified receipts of the grant's steps, oldest first. */
async function receiptsOf(ask: Ask, id: string): Promise<Receipt[]> {
  const { events } = await ask(QUERIES.grant, { id });
  const keys = await published();
  const files = events.reverse().map((event: { id: string }) => fileOf(ask, id, event.id));
  return Promise.all(files.map(async (file: Promise<string>) => verifyReceipt(await file, keys)));
}

const summaryOf = ({ event, pii_processing: { purposes } }: Receipt) => ({
  ...{ action: event.action, state: event.event_state, by: event.entity.name, until: event.valid_until },
  ...{ scopes: purposes[0]?.pii_information.map(({ pii_type }) => pii_type), items: purposes[0]?.items.type },
  purpose: purposes[0]?.purpose,
});

describe('the receipts of a grant', () => {
  let id: string;
  const end = new Date(Date.now() + 86_400_000).toISOString();

  it('state the terms in force after each step', async () => {
    const { asMember, asClient, otherKey, client, firm, request } = scene.here;
    await asClient(MUTATIONS.declineGrant, { id: request.id });
    const wanted = {
      keyId: otherKey.id,
      client: client.email,
      scopes: ['registry', 'valuation'],
      filter: { type: 'all' },
    };
    ({ id } = await asMember(MUTATIONS.requestGrant, { ...wanted, purpose: 'Yearly review' }));
    const narrower = { scopes: ['registry'], filter: { type: 'category', categories: ['CN'] } };
    await asClient(MUTATIONS.approveGrant, { id, ...narrower });
    await asClient(MUTATIONS.changeGrant, { id, expiresAt: end });
    await asClient(MUTATIONS.revokeGrant, { id });
    const receipts = await receiptsOf(asClient, id);
    const before = { by: 'Here Member', purpose: 'Yearly review', until: null };
    const after = { ...before, by: 'Client', scopes: ['registry'], items: 'category' };
    expect(receipts.map(summaryOf)).toEqual([
      { ...before, action: 'request', state: 'requested', scopes: ['registry', 'valuation'], items: 'all' },
      { ...after, action: 'approve', state: 'given' },
      { ...after, action: 'change', state: 'given', until: end },
      { ...after, action: 'revoke', state: 'withdrawn', until: end },
    ]);
    expect(receipts[1]).toMatchObject({
      schema_version: 'ISO/IEC TS 27560:2023',
      record_id: id,
      pii_principal_id: client.id,
      party_identification: [
        { party_id: client.id, party_type: 'pii_principal', party_name: 'Client' },
        { party_id: firm.id, party_type: 'pii_controller', party_name: 'Here Firm' },
      ],
      pii_processing: {
        purposes: [{ items: { type: 'category', categories: [{ code: 'CN', name: 'Coins and currency' }] } }],
      },
    });
    const fields = receipts[1]?.pii_processing.purposes[0]?.pii_information[0]?.pii_attributes;
    expect(fields).toEqual(expect.arrayContaining(['asset.registry_id', 'asset.title']));
    expect(fields).not.toContain('asset.market_value');
  });

  it('name the key as it was at each step, regardless of later names and rotations', async () => {
    const { asMember, asClient, firm, client } = scene.here;
    const { database } = scene.gateway;
    const key = await makeKey(database, firm);
    const { id } = await makeGrant(database, key, client);
    const textOf = async (eventId: string) => (await asClient(QUERIES.receipt, { id, eventId })).receipt.receipt;
    const lastEvent = async () => (await asClient(QUERIES.grant, { id })).events[0].id as string;
    // The order of two acts in the same millisecond is not defined.
    const later = () => database.query({ text: 'select pg_sleep(0.002)' });
    const steps: { eventId: string; text: string; named: string }[] = [];
    const step = async (named: string) => {
      await later();
      await asClient(MUTATIONS.changeGrant, { id, expiresAt: end });
      const eventId = await lastEvent();
      steps.push({ eventId, text: await textOf(eventId), named });
      await later();
    };
    await step(`Key (${key.id})`);
    await asMember(MUTATIONS.changeKey, { id: key.id, name: 'Renamed' });
    await step(`Renamed (${key.id})`);
    const { key: successor } = await asMember(MUTATIONS.rotateKey, { id: key.id });
    await step(`Renamed (${successor.id})`);
    await asMember(MUTATIONS.changeKey, { id: successor.id, name: 'Renamed again' });
    await asMember(MUTATIONS.changeKey, { id: key.id, name: 'The old one' });
    for (const { eventId, text, named } of steps) {
      expect(text).toContain(`with its key ${named}.`);
      expect(await textOf(eventId)).toBe(text);
    }
    const { nodes } = await asClient(QUERIES.consentHistory, { first: 3 });
    expect(nodes.map(({ keyName }: { keyName: string }) => keyName)).toEqual(['Renamed', 'Renamed', 'Key']);
  });

  it('state the terms after a repeated revocation, which is a step only if it took something away', async () => {
    const { asMember, asClient, firm, client } = scene.here;
    const { database } = scene.gateway;
    const key = await makeKey(database, firm);
    // As restored from a backup that was made before the grant was narrowed.
    const scopes = scopeSet(['registry', 'valuation']);
    const { id } = await makeGrant(database, key, client, { scopes });
    const repeat = (row_id: string, terms: Record<string, unknown>) =>
      repeatRevocations(database, [
        {
          ...{ id: randomUUID(), seq: 1, at: new Date().toISOString(), table_name: 'grants', row_id },
          ...{ changed: Object.keys(terms), terms: { status: 'active', scopes, filter: { type: 'all' }, ...terms } },
        },
      ]);
    const category = (...categories: string[]) => ({ type: 'category', categories });
    await repeat(id, { scopes: scopeSet(['registry', 'estate']) });
    await repeat(id, { filter: category('CN', 'WT') });
    await repeat(id, { expires_at: end });
    await repeat(id, { filter: category('CN'), scopes });
    // Repeating wider terms gives nothing back.
    for (const wider of [
      { filter: { type: 'all' } },
      { filter: category('CN', 'WT') },
      { scopes },
      { expires_at: null },
    ])
      await repeat(id, wider);
    const receipts = await receiptsOf(asClient, id);
    const given = { action: 'change', state: 'given', by: 'System', purpose: null, scopes: ['registry'] };
    expect(receipts.slice(1).map(summaryOf)).toEqual([
      { ...given, items: 'all', until: null },
      { ...given, items: 'category', until: null },
      { ...given, items: 'category', until: end },
      { ...given, items: 'category', until: end },
    ]);
    expect(receipts.map(({ pii_processing: { purposes } }) => purposes[0]?.items.categories?.length)).toEqual([
      ...[undefined, undefined, 2, 2, 1],
    ]);
    const asked = {
      keyId: key.id,
      client: (await makeClient(database)).id,
      scopes: ['registry'],
      filter: { type: 'all' },
    };
    const request = (await asMember(MUTATIONS.requestGrant, { ...asked, purpose: 'Yearly review' })).id;
    await repeat(request, { filter: category('CN') });
    expect((await receiptsOf(asMember, request)).map(summaryOf)).toMatchObject([{ action: 'request', items: 'all' }]);
  });

  it('state the terms in force even if an erasure has deleted the earlier steps', async () => {
    const { asMember, firm } = scene.here;
    const { database } = scene.gateway;
    const client = await makeClient(database);
    const terms = { scopes: scopeSet(['registry']), filter: { type: 'category' as const, categories: ['CN'] } };
    const [cut, ending] = [
      await makeGrant(database, await makeKey(database, firm), client, terms),
      await makeGrant(database, await makeKey(database, firm), client, { ...terms, expiresAt: end }),
    ];
    const request = { id: client.id, reason: 'Asked for it', actor: { kind: 'operator', id: 'test' } } as const;
    const { grantsEndAt } = await eraseClient(database, request, { portalUrl: null, noticeDays: 30 });
    await revokeGrant(database, ending.id, request.actor);
    const remaining = { scopes: ['registry'], items: 'category', purpose: null };
    expect((await receiptsOf(asMember, cut.id)).map(summaryOf)).toMatchObject([
      { ...remaining, action: 'change', until: grantsEndAt },
    ]);
    expect((await receiptsOf(asMember, ending.id)).map(summaryOf)).toMatchObject([
      { ...remaining, action: 'revoke', until: end },
    ]);
  });

  it('verify with the published keys and a library for JSON Web Signatures', async () => {
    const { asClient, grant } = scene.here;
    const [event] = (await asClient(QUERIES.grant, { id: grant.id })).events;
    const { receipt } = await asClient(QUERIES.receipt, { id: grant.id, eventId: event.id });
    const { payload, protectedHeader } = await compactVerify(
      receipt.jws,
      createLocalJWKSet((await published()) as never),
    );
    expect(new TextDecoder().decode(payload)).toBe(receipt.receipt);
    expect(protectedHeader).toMatchObject({ alg: 'EdDSA', typ: 'consent-receipt+jws' });
    expect(JSON.stringify(await published())).not.toContain('"d":');
  });

  it('reveal to a firm neither a decline, nor the client of a request, nor the items', async () => {
    const { asMember, asClient, request, item, client } = scene.here;
    const steps = (await asClient(QUERIES.grant, { id: request.id })).events;
    expect(steps.map(({ action }: { action: string }) => action)).toEqual(['decline', 'request']);
    const declined = await asMember(QUERIES.receipt, { id: request.id, eventId: steps[0].id });
    expect(declined).toEqual(await asMember(QUERIES.receipt, { id: request.id, eventId: '999999999' }));
    expect(declined).toEqual({ receipt: null });
    const asked = await fileOf(asMember, request.id, steps[1].id);
    expect(asked).not.toContain(client.id);
    expect(asked).not.toContain(item.registryId);
    expect(await fileOf(asClient, request.id, steps[1].id)).toContain(item.registryId);
  });

  it('can be read by the two parties alone, and only with their own grant', async () => {
    const { asClient, grant } = scene.here;
    const [event] = (await asClient(QUERIES.grant, { id: grant.id })).events;
    for (const other of [scene.there.asClient, scene.there.asMember])
      expect(await codeOf(other(QUERIES.receipt, { id: grant.id, eventId: event.id }))).toBe('resource_not_found');
    expect(await asClient(QUERIES.receipt, { id, eventId: event.id })).toEqual({ receipt: null });
  });
});

describe('a receipt is refused', () => {
  const changed = (file: string, change: (signed: SignedReceipt) => void): string => {
    const signed = JSON.parse(file) as SignedReceipt;
    change(signed);
    return JSON.stringify(signed);
  };
  const file = async () => {
    const { asClient, grant } = scene.here;
    const [event] = (await asClient(QUERIES.grant, { id: grant.id })).events;
    return fileOf(asClient, grant.id, event.id);
  };

  it('if its readable part differs from the signed one', async () => {
    const forged = changed(await file(), ({ receipt }) => {
      receipt.event.valid_until = '2099-01-01T00:00:00.000Z';
    });
    await expect(verifyReceipt(forged, await published())).rejects.toThrow('differs from what was signed');
  });

  it('if its signed part was changed', async () => {
    const forged = changed(await file(), (signed) => {
      signed.receipt.event.valid_until = '2099-01-01T00:00:00.000Z';
      const payload = Buffer.from(JSON.stringify(signed.receipt)).toString('base64url');
      signed.jws = signed.jws.replace(/\..*\./, `.${payload}.`);
    });
    await expect(verifyReceipt(forged, await published())).rejects.toThrow('the signature is invalid');
  });

  it('if another deployment has signed it', async () => {
    const target = await createMigratedDatabase();
    const other = await openDatabase({ url: target.url });
    try {
      const { receipt } = JSON.parse(await file()) as SignedReceipt;
      const forged = JSON.stringify(await signReceipt(other, receipt));
      await expect(verifyReceipt(forged, await readKeySet(other))).resolves.toEqual(receipt);
      await expect(verifyReceipt(forged, await published())).rejects.toThrow('none of the published keys');
    } finally {
      await other.close();
      await target.drop();
    }
  });

  it.each(['', '[]', '{"receipt": {}}', 'null'])('if it is not a receipt: %s', async (text) => {
    await expect(verifyReceipt(text, await published())).rejects.toThrow('it is not a consent receipt');
  });
});

describe('the signing key', () => {
  it('is created once, even if several gateways need the first at the same time', async () => {
    const target = await createMigratedDatabase();
    const databases = await Promise.all([1, 2, 3].map(() => openDatabase({ url: target.url })));
    try {
      const receipt = { receipt_id: 'x' } as Receipt;
      const signed = await Promise.all([...databases, ...databases].map((sql) => signReceipt(sql, receipt)));
      const keys = await readKeySet(databases[0] as (typeof databases)[0]);
      expect(keys.keys).toHaveLength(1);
      for (const one of signed) await expect(verifyReceipt(JSON.stringify(one), keys)).resolves.toEqual(receipt);
    } finally {
      await Promise.all(databases.map((database) => database.close()));
      await target.drop();
    }
  });

  it('is replaced, and what it signed can still be verified', async () => {
    const { asClient, grant } = scene.here;
    const [event] = (await asClient(QUERIES.grant, { id: grant.id })).events;
    const before = await fileOf(asClient, grant.id, event.id);
    const fresh = await rotateSigningKey(scene.gateway.database);
    const keys = await published();
    expect(keys.keys[0]?.kid).toBe(fresh);
    const after = await fileOf(asClient, grant.id, event.id);
    expect(await verifyReceipt(before, keys)).toEqual(await verifyReceipt(after, keys));
    expect(after).toBe(await fileOf(asClient, grant.id, event.id));
    expect(after).not.toBe(before);
    const rows = await scene.gateway.database.query<{ id: string }>({
      text: 'select id from signing_keys where private_key is not null',
    });
    expect(rows).toEqual([{ id: fresh }]);
    const second = scene.gateway.database.query({
      text: `insert into signing_keys (id, public_key, private_key) values ('second', '{}', '{}')`,
    });
    await expect(second).rejects.toMatchObject({ code: '23505' });
  });
});
