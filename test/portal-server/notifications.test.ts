// Notices about access: one mail per event to each person concerned, and nothing in it that this person may not know.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { steadyClock } from '#core/clock.ts';
import { ALL_SCOPES, scopeSet } from '#core/scopes.ts';
import { eraseClient } from '#gateway/personal-data/erase.ts';
import { timeTextIn } from '#portal/mails/words.ts';
import { noteZone } from '#repositories/accounts/person-zones.ts';
import { setFirmIdentity } from '#repositories/firm-identities.ts';
import {
  approveGrant,
  changeGrant,
  declineGrant,
  grantWithoutRequest,
  requestGrant,
  revokeGrant,
} from '#repositories/grants/grants.ts';
import type { User } from '#repositories/users.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/ports.ts';
import { call, makeClient, makeFirm, makeItem, makeKey } from '#test/support/scenario.ts';
import { makeMember, makeOwner, newEmail } from './people.ts';
import { type Letter, openPostOffice, type PostOffice } from './post-office.ts';

const ORIGIN = 'https://portico.example';
const ALL = { type: 'all' } as const;

let gateway: TestGateway;
let other: TestGateway;
let office: PostOffice;
beforeAll(async () => {
  office = await openPostOffice();
  const env = { SMTP_URL: office.url, MAIL_FROM: 'Portico <no-reply@portico.example>', PORTAL_URL: ORIGIN };
  gateway = await startGateway({ env, mailIntervalMs: 100 });
  other = await startGateway({ databaseUrl: gateway.databaseUrl, env, mailIntervalMs: 100 });
});
afterAll(async () => {
  await other?.stop();
  await gateway?.stop();
  await office?.close();
});

const asClient = ({ id }: User) => ({ kind: 'client', id }) as const;
const asMember = ({ id }: User) => ({ kind: 'firm_member', id }) as const;

async function makeParties() {
  const { database } = gateway;
  const firm = await makeFirm(database, { name: 'Hartwell & <Lyle>' });
  const [member, client] = [await makeMember(database, firm), await makeOwner(database)];
  return { firm, member, client, key: await makeKey(database, firm) };
}

type Parties = Awaited<ReturnType<typeof makeParties>>;

const PURPOSE = 'Call https://elsewhere.example at once';
const ask = ({ key, member }: Parties, client: string) =>
  requestGrant(
    gateway.database,
    { keyId: key.id, client, scopes: ALL_SCOPES, filter: ALL, expiresAt: null, purpose: PURPOSE },
    asMember(member),
  );

/** A header of the mail, unfolded. */
const headerOf = ({ text }: Letter, name: string) =>
  new RegExp(`^${name}: (.*)$`, 'mi').exec(text.replace(/\r?\n[ \t]+/g, ' '))?.[1];
const subjectOf = (letter: Letter) => headerOf(letter, 'Subject') ?? '';
/** The mails about access, without the notice that a password was set. */
const lettersTo = ({ email }: User) =>
  office.letters.filter(
    (letter) => letter.to.includes(email) && subjectOf(letter) !== 'Your password for Portico was set',
  );
const subjectsTo = (user: User) => lettersTo(user).map(subjectOf);

/** Waits until every notice of the outbox has an outcome. */
const sent = () =>
  until(
    async () => (await gateway.database.query({ text: 'select from notices where outcome is null' })).length === 0,
    60_000,
    () => new Error('some mails were not sent'),
  );

const noticesOf = (subject: string) =>
  gateway.database.query<{ kind: string; recipient: string; outcome: string }>({
    text: 'select kind, recipient, outcome from notices where subject = $1 order by id',
    values: [subject],
  });

describe('a grant', () => {
  it('sends client and firm one mail per step, the client’s with its receipt, though two gateways send', async () => {
    const parties = await makeParties();
    const { client, member, firm, key } = parties;
    const { database } = gateway;
    const item = await makeItem(database, client, { title: 'Chronograph with a secret' });
    await noteZone(database, client.id, 'Asia/Kolkata');
    const identity = { address: '1 High Street\nLondon', website: 'https://www.hartwell.example' };
    await setFirmIdentity(
      database,
      firm.id,
      { ...identity, email: 'clients@hartwell.example', phone: null },
      asMember(member),
    );
    const request = await ask(parties, client.id);
    await sent();
    expect(subjectsTo(client)).toEqual(['Hartwell & <Lyle> asks for access to your portfolio']);
    expect(subjectsTo(member)).toEqual([]);

    const narrower = {
      scopes: scopeSet(['registry', 'valuation', 'category_detail', 'estate']),
      filter: { type: 'items', items: [item.registryId] },
    };
    const end = new Date(Date.now() + 90 * 86_400_000).toISOString();
    await approveGrant(
      database,
      request.id,
      { ...narrower, filter: narrower.filter as never, expiresAt: end },
      asClient(client),
    );
    await sent();
    await changeGrant(database, request.id, { scopes: scopeSet(['registry']) }, asClient(client));
    await sent();
    await revokeGrant(database, request.id, asClient(client));
    await sent();
    expect(subjectsTo(client).slice(1)).toEqual([
      'Hartwell & <Lyle> has access to your portfolio',
      'The access of Hartwell & <Lyle> was changed',
      'The access of Hartwell & <Lyle> was ended',
    ]);
    expect(subjectsTo(member)).toEqual([
      'Owner approved less than you asked for',
      'What you may see of Owner was changed',
      'Your access to the portfolio of Owner was ended',
    ]);
    const [, receipt, changed, ended] = lettersTo(client);
    expect(receipt?.text).toContain('May see: What you own, what it is worth, its particulars and who inherits it\r\n');
    expect(receipt?.text).toContain('Items: 1 item\r\n');
    expect(receipt?.text).toContain(`${ORIGIN}/portal/connected/${request.id}`);
    expect(receipt?.text).toMatch(/choose \S+Revoke\S+\. It then ends at once/);
    const steps = await database.query<{ action: string; id: string }>({
      text: 'select action, id from grant_events where grant_id = $1',
      values: [request.id],
    });
    const step = (of: string) => steps.find(({ action }) => action === of)?.id;
    // The number that the receipt has on its page in the portal and in the signed file.
    expect(receipt?.text).toContain(`Receipt: ${request.id}.${step('approve')}\r\n`);
    expect(changed?.text).toContain(`Receipt: ${request.id}.${step('change')}\r\n`);
    expect(ended?.text).toContain(`Receipt: ${request.id}.${step('revoke')}\r\n`);
    expect(changed?.text).toContain('May see: What you own\r\n');
    expect(lettersTo(member)[0]?.text).toContain('fewer scopes, fewer items, an earlier end');
    expect(lettersTo(member)[0]?.text).toContain('Scopes: Registry, Valuation, Category detail, Estate\r\n');
    // No mail contains the firm's own words or the client's items, and names are escaped in HTML.
    for (const { text } of [...lettersTo(client), ...lettersTo(member)]) {
      expect(text).not.toContain('elsewhere.example');
      expect(text).not.toContain('Chronograph');
      expect(text).not.toContain(item.registryId);
      expect(text).not.toContain('<Lyle></');
      expect(text).toMatch(/text\/plain/);
      expect(text).toMatch(/text\/html/);
    }
    expect(receipt?.text).toContain('Hartwell &amp; &lt;Lyle&gt;');
    // Times are in the recipient's zone and name it; the client's mail has the firm's identity.
    const ends = (at: string, timeZone: string) => timeTextIn(timeZone)(at);
    expect(receipt?.text).toContain(`Ends: ${ends(end, 'Asia/Kolkata')}`);
    expect(ends(end, 'Asia/Kolkata')).toMatch(/ at \d\d:\d\d GMT\+5:30$/);
    expect(lettersTo(member)[0]?.text).toContain(`Ends: ${ends(end, 'UTC')}`);
    expect(receipt?.text).toContain('Address: 1 High Street, London\r\nWeb site: www.hartwell.example\r\n');
    expect(receipt?.text).toContain('Contact: clients@hartwell.example');
    expect(firm.name).toBe('Hartwell & <Lyle>');
    expect(key.id).not.toBe('');
  });

  it('keeps to its own lines if the name of its client has line ends', async () => {
    const parties = await makeParties();
    const { client, member } = parties;
    const name = 'Ada\n\nYour plan has ended. Pay at https://elsewhere.example\nScopes: everything\u202e';
    // Imports take such names.
    await gateway.database.query({ text: 'update users set name = $2 where id = $1', values: [client.id, name] });
    const request = await ask(parties, client.id);
    await approveGrant(gateway.database, request.id, {}, asClient(client));
    await sent();
    const [letter] = lettersTo(member);
    const lines = letter?.text.split('\r\n') ?? [];
    const line = 'Ada Your plan has ended. Pay at https://elsewhere.example Scopes: everything';
    expect(lines).toContain(`Client: ${line}`);
    expect(lines.filter((text) => /^(?:Your plan|Scopes: everything)/.test(text))).toEqual([]);
    expect(Buffer.from(letter?.text ?? '', 'latin1').toString()).not.toContain('\u202e');
    expect(subjectOf(letter as Letter)).toBe(`${line} gave you access`);
  });

  it('sends no mail about a decline, about a request to an unknown address, or to members of other firms', async () => {
    const parties = await makeParties();
    const strangers = await makeParties();
    const unaddressed = await ask(parties, newEmail());
    const request = await ask(parties, parties.client.email);
    await declineGrant(gateway.database, request.id, asClient(parties.client));
    await sent();
    expect(await noticesOf(unaddressed.id)).toEqual([]);
    // The outcome is not compared: the decline cancels the notice unless it was sent before.
    expect((await noticesOf(request.id)).map(({ kind, recipient }) => [kind, recipient])).toEqual([
      ['grant_requested', parties.client.id],
    ]);
    expect(lettersTo(parties.member)).toEqual([]);
    expect(lettersTo(strangers.member)).toEqual([]);
    expect(lettersTo(strangers.client)).toEqual([]);
  });

  it('sends no mail for an act that was rolled back, or to a client without an account', async () => {
    const parties = await makeParties();
    const { database } = gateway;
    const bare = await makeClient(database);
    const grant = await grantWithoutRequest(
      database,
      { keyId: parties.key.id, clientId: bare.id, scopes: ALL_SCOPES, filter: ALL, expiresAt: null },
      { kind: 'operator', id: 'test' },
    );
    const undone = database.transaction(async (sql) => {
      await revokeGrant(sql, grant.id, { kind: 'operator', id: 'test' });
      throw new Error('not after all');
    });
    await expect(undone).rejects.toThrow('not after all');
    await sent();
    expect(await noticesOf(grant.id)).toEqual([
      { kind: 'grant_given', recipient: bare.id, outcome: 'unwanted' },
      { kind: 'firm_grant_given', recipient: parties.member.id, outcome: 'sent' },
    ]);
    expect(lettersTo(bare)).toEqual([]);
    expect(subjectsTo(parties.member)).toEqual(['Client gave you access']);
  });

  it('is described to the firm as it is when the mail is sent, and not at all if it has ended by then', async () => {
    const { database } = gateway;
    const parties = await makeParties();
    const { client, member } = parties;
    const request = await ask(parties, client.id);
    await database.transaction(async (sql) => {
      await approveGrant(sql, request.id, {}, asClient(client));
      await revokeGrant(sql, request.id, asClient(client));
    });
    await sent();
    expect(subjectsTo(member)).toEqual(['Your access to the portfolio of Owner was ended']);

    const again = await ask(parties, client.id);
    await approveGrant(database, again.id, { scopes: scopeSet(['registry']) }, asClient(client));
    await sent();
    await eraseClient(
      database,
      { id: client.id, reason: 'Asked for it', actor: { kind: 'operator', id: 'test' } },
      { portalUrl: null, noticeDays: 30 },
    );
    await sent();
    const letter = lettersTo(member).at(-1);
    expect(subjectOf(letter as Letter)).toBe('What you may see of Erased client was changed');
    expect(letter?.text).toContain('Scopes: Registry\r\n');
    expect(letter?.text).not.toContain('Ends: Until it is revoked');
  });

  it('whose end was moved gets no warning that it ends soon, nor does such a key', async () => {
    const { database } = gateway;
    const { client, member, key } = await makeParties();
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const [soon, late] = [inDays(5), inDays(300)];
    const terms = { scopes: ALL_SCOPES, filter: ALL, expiresAt: late };
    const { id } = await grantWithoutRequest(
      database,
      { keyId: key.id, clientId: client.id, ...terms },
      asClient(client),
    );
    await database.query({ text: 'update api_keys set expires_at = $2 where id = $1', values: [key.id, late] });
    await sent();
    const [toClient, toMember] = [lettersTo(client).length, lettersTo(member).length];
    const warn = (kind: string, recipient: string, subject: string, at: string) =>
      database.query({
        text: `insert into notices (kind, recipient, subject, occurrence, details) values ($1, $2, $3, $4, '{"days":7}')`,
        values: [kind, recipient, subject, at],
      });
    for (const end of [soon, late]) {
      await warn('grant_ending', client.id, id, String(Date.parse(end)));
      await warn('firm_key_ending', member.id, key.id, `${Date.parse(end)}/7`);
    }
    await sent();
    expect([lettersTo(client).length - toClient, lettersTo(member).length - toMember]).toEqual([1, 1]);
    // The mail does not advise a rotation: the successor would have the same expiry.
    expect(lettersTo(member).at(-1)?.text).toContain('set a later expiry before then');
  });

  it('notifies its client of the first use only', async () => {
    const { client, key } = await makeParties();
    const { database } = gateway;
    const grant = await grantWithoutRequest(
      database,
      { keyId: key.id, clientId: client.id, scopes: ALL_SCOPES, filter: ALL, expiresAt: null },
      asClient(client),
    );
    const read = (at: TestGateway) => call(`${at.url}/api/v1/assets?client_id=${client.id}`, key.secret);
    const sentCount = async () =>
      (await noticesOf(grant.id)).filter(({ kind, outcome }) => kind === 'grant_first_used' && outcome === 'sent')
        .length;
    expect((await read(gateway)).status).toBe(200);
    await expect.poll(sentCount, { timeout: 60_000 }).toBe(1);
    // Each gateway knows of the first use or asks the database, so no second mail is sent.
    for (const at of [gateway, other, other]) expect((await read(at)).status).toBe(200);
    await until(
      async () => (await sendLaterNotice()) > 0,
      60_000,
      () => new Error('no later notice was sent'),
    );
    await sent();
    expect(subjectsTo(client).filter((subject) => subject.includes('first time'))).toHaveLength(1);
  });
});

describe('a limit', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('sends the firm a mail when four fifths are used, and when requests are refused', async () => {
    // The clock is stopped, so that all requests count within one minute, however long they take.
    vi.spyOn(steadyClock, 'now').mockReturnValue(steadyClock.now());
    const { firm, member } = await makeParties();
    const { database, url } = gateway;
    const client = await makeOwner(database, newEmail(), 'sandbox');
    const key = await makeKey(database, firm, { environment: 'sandbox' });
    const use = async (count: number) => {
      for (let n = 0; n < count; n++) await call(`${url}/api/v1/assets?client_id=${client.id}`, key.secret);
    };
    const notices = async () => (await noticesOf(key.id)).map(({ kind, outcome }) => `${kind} ${outcome}`);
    await use(79);
    await sendLaterNotice();
    expect(await notices()).toEqual([]);
    await use(2);
    await expect.poll(notices, { timeout: 60_000 }).toEqual(['firm_limit_near sent']);
    await use(40);
    await expect.poll(notices, { timeout: 60_000 }).toEqual(['firm_limit_near sent', 'firm_limit_refused sent']);
    expect(lettersTo(member).map(({ text }) => text.includes('Retry-After'))).toEqual([false, true]);
    expect(lettersTo(member)[0]?.text).toContain('100 requests in any 60 seconds');
  });
});

/** Once a later notice has been sent, every earlier event has been processed. Returns how many the client got. */
async function sendLaterNotice(): Promise<number> {
  const parties = await makeParties();
  await ask(parties, parties.client.id);
  await sent();
  return lettersTo(parties.client).length;
}

describe('unsubscribing', () => {
  it('takes one POST without signing in to the URL of List-Unsubscribe, and mutes that topic only', async () => {
    const parties = await makeParties();
    const { client } = parties;
    const first = await ask(parties, client.id);
    await sent();
    const [letter] = lettersTo(client);
    const link = /^<(.*)>$/.exec(headerOf(letter as Letter, 'List-Unsubscribe') ?? '')?.[1] ?? '';
    expect(headerOf(letter as Letter, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    expect(letter?.text).toContain(link);
    const url = link.replace(ORIGIN, gateway.url);

    const muted = () =>
      gateway.database.query({ text: 'select topic from muted_topics where user_id = $1', values: [client.id] });
    const look = await fetch(url);
    expect(look.status).toBe(200);
    expect(await look.text()).toContain('<form method="post">');
    expect(await muted()).toEqual([]);
    const forged = await fetch(`${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`, { method: 'POST' });
    expect(forged.status).toBe(400);
    const required = await fetch(url.replace('.requests.', '.receipts.'), { method: 'POST' });
    expect(required.status).toBe(400);
    expect(await muted()).toEqual([]);

    // As a mail program sends it (RFC 8058).
    const done = await fetch(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) });
    expect(done.status).toBe(200);
    expect(await muted()).toEqual([{ topic: 'requests' }]);

    await approveGrant(gateway.database, first.id, {}, asClient(client));
    const second = await makeKey(gateway.database, parties.firm);
    await ask({ ...parties, key: second }, client.id);
    await sent();
    // The receipt is still sent, without List-Unsubscribe.
    expect(subjectsTo(client)).toEqual([
      'Hartwell & <Lyle> asks for access to your portfolio',
      'Hartwell & <Lyle> has access to your portfolio',
    ]);
    expect(headerOf(lettersTo(client)[1] as Letter, 'List-Unsubscribe')).toBeUndefined();
  });
});
