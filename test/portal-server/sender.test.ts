// Risk: a mail server that is away, slow or refuses: nothing is lost, nothing is sent twice on purpose, and no mail gets into a log.

import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEvents, type FailureEvent } from '#core/events.ts';
import type { Database } from '#database/database.ts';
import { createNotices } from '#gateway/notices/notices.ts';
import { type Mailer, openMailer } from '#portal/mail.ts';
import { type Sender, startSender } from '#portal/notices/sender.ts';
import { inviteMember } from '#repositories/firms/invitations.ts';
import type { User } from '#repositories/users.ts';
import { makeFirm, openMigrated, operator } from '#test/repositories/parties.ts';
import { until } from '#test/support/ports.ts';
import { makeOwner, newEmail } from './people.ts';
import { openPostOffice, type PostOffice } from './post-office.ts';

const FROM = 'Portico <no-reply@portico.example>';
const PATIENCE = 60_000;

let database: Database;
let close: () => Promise<void>;
let office: PostOffice;
let user: User;
let failures: FailureEvent[];
/** Seconds until the next attempt, of each that failed. */
let delays: number[];
const opened: { sender: Sender; mailer: Mailer }[] = [];
beforeAll(async () => {
  ({ database, close } = await openMigrated());
  office = await openPostOffice();
});
afterAll(async () => {
  await office?.close();
  await close?.();
});
beforeEach(async () => {
  failures = [];
  delays = [];
  user = await makeOwner(database);
  await database.query({
    text: `delete from notices where kind <> 'password_changed' or created_at < now() - interval '1 day'`,
  });
});
afterEach(async () => {
  for (const { sender, mailer } of opened.splice(0)) {
    await sender.close();
    mailer.close();
  }
});

function start(smtpUrl: string): Sender {
  const events = createEvents();
  events.on('failure', (failure) => failures.push(failure));
  const mailer = openMailer({ smtpUrl, from: FROM });
  const postmark = { origin: 'https://portico.example', unsubscribeUrl: () => 'https://portico.example/x' };
  const stored = createNotices(database);
  const delay = async (...delayed: Parameters<typeof stored.delay>) => {
    await stored.delay(...delayed);
    delays.push(delayed[1]);
  };
  const sender = startSender({ notices: { ...stored, delay }, mailer, postmark, events });
  opened.push({ sender, mailer });
  return sender;
}

/** The one notice of this person: that the password was set. */
const notice = async () => {
  const [row] = await database.query<{ id: string; outcome: string | null; attempts: number; wait: number }>({
    text: `select n.id::text as id, outcome, attempts, extract(epoch from due_at - now_ms())::float8 as wait
      from notices n join portal_accounts a on a.id = n.recipient where a.email = $1`,
    values: [user.email],
  });
  return row;
};
const becomes = (wanted: (row: NonNullable<Awaited<ReturnType<typeof notice>>>) => boolean) =>
  until(
    async () => {
      const row = await notice();
      return row !== undefined && wanted(row);
    },
    PATIENCE,
    () => new Error('it did not'),
  );
const dueNow = () => database.query({ text: 'update notices set due_at = now_ms() where outcome is null' });
const letters = () => office.letters.filter(({ to }) => to.includes(user.email));
const idOf = (text: string) => /^Message-ID: (.*)$/im.exec(text)?.[1];

describe('a mail', () => {
  it('that is refused for now is tried again, later each time, and ends with being sent', async () => {
    office.refused.set(user.email, 450);
    const sender = start(office.url);
    for (const count of [1, 2, 3]) {
      await until(
        async () => delays.length === count,
        PATIENCE,
        () => new Error(`not tried ${count} times`),
      );
      await dueNow();
    }
    expect(delays.slice(0, 3)).toEqual([20, 40, 80]);
    expect(letters()).toEqual([]);
    office.refused.delete(user.email);
    await becomes(({ outcome }) => outcome === 'sent');
    expect(letters()).toHaveLength(1);
    expect(sender.counts().sent).toBe(1);
    // The server's reply quotes the address: it is in no log.
    expect(failures.length).toBeGreaterThan(2);
    for (const { error, where } of failures) {
      expect(where).toBe('mail');
      expect(`${(error as Error).message} ${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain(
        user.email,
      );
    }
  });

  it('that is refused for good ends so, and operations can see it', async () => {
    office.refused.set(user.email, 550);
    const sender = start(office.url);
    await becomes(({ outcome }) => outcome === 'refused');
    await until(
      async () => sender.outbox().refused > 0,
      PATIENCE,
      () => new Error('nobody sees it'),
    );
    expect(office.asked.filter((address) => address === user.email)).toHaveLength(1);
    expect(failures).toEqual([]);
  });

  it('waits where the server does not let us send, and says so of the recipient', async () => {
    office.refused.set(user.email, '554 5.7.1 Relay access denied');
    start(office.url);
    await becomes(({ attempts, wait }) => attempts === 1 && wait < 25);
    expect((await notice())?.outcome).toBeNull();
    expect(failures).toHaveLength(1);
    office.refused.delete(user.email);
    await dueNow();
    await becomes(({ outcome }) => outcome === 'sent');
  });

  it('waits where it is ours that the server does not know', async () => {
    start(office.url.replace('s3cret', 'another'));
    await becomes(({ attempts, outcome, wait }) => attempts === 1 && outcome === null && wait < 25);
    expect(failures.map(({ error }) => (error as { code?: string }).code)).toEqual(['EAUTH']);
  });

  it('is the same mail when it is sent a second time, as after a sender died between the two', async () => {
    start(office.url);
    await becomes(({ outcome }) => outcome === 'sent');
    // The server took it, and nobody heard of it.
    await database.query({ text: 'update notices set outcome = null, ended_at = null, due_at = now_ms()' });
    await until(
      async () => letters().length > 1,
      PATIENCE,
      () => new Error('it was not sent again'),
    );
    const [first, second] = letters();
    expect(idOf(first?.text ?? '')).toMatch(/^<[0-9a-f]{40}@portico\.example>$/);
    expect(idOf(second?.text ?? '')).toBe(idOf(first?.text ?? ''));
  });

  it('with another link than the first is another mail, which no server takes for the first', async () => {
    const firm = await makeFirm(database);
    const invited = { email: newEmail(), name: 'New', role: 'developer' } as const;
    await inviteMember(database, firm.id, invited, operator);
    const mails = () => office.letters.filter(({ to }) => to.includes(invited.email));
    const waiting = `select from notices where kind = 'member_invited' and outcome is null`;
    const sent = (count: number) =>
      until(
        async () => mails().length === count && (await database.query({ text: waiting })).length === 0,
        PATIENCE,
        () => new Error(`not sent ${count} times`),
      );
    start(office.url);
    await sent(1);
    // The server took it, and nobody heard of it.
    await database.query({ text: 'update notices set outcome = null, ended_at = null, due_at = now_ms()' });
    await sent(2);
    const [first, second] = mails();
    expect(idOf(second?.text ?? '')).not.toBe(idOf(first?.text ?? ''));
  });

  it('is given up in time at a server that takes connections and says nothing', async () => {
    const silent: Server = createServer(() => {});
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', () => listening()));
    start(`smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    await becomes(({ attempts, outcome, wait }) => attempts === 1 && outcome === null && wait < 25);
    await opened[0]?.sender.close();
    silent.close();
    start(office.url);
    await dueNow();
    await becomes(({ outcome }) => outcome === 'sent');
  });
});

it('two senders send a hundred mails once each', async () => {
  const people = await Promise.all(Array.from({ length: 10 }, () => makeOwner(database)));
  for (const { email } of people)
    await database.query({
      text: `insert into notices (kind, recipient, subject, occurrence)
        select 'second_factor_on', id, id, n::text from portal_accounts, generate_series(1, 9) n where email = $1`,
      values: [email],
    });
  start(office.url);
  start(office.url);
  const mine = () => office.letters.filter(({ to }) => people.some(({ email }) => to.includes(email)));
  await until(
    async () => mine().length >= 100,
    PATIENCE,
    () => new Error(`only ${mine().length} of 100`),
  );
  const [row] = await database.query<{ waiting: number }>({
    text: 'select count(*) as waiting from notices where outcome is null',
  });
  for (const { sender } of opened) await sender.close();
  expect(row?.waiting).toBeLessThanOrEqual(6);
  expect(mine()).toHaveLength(100);
});
