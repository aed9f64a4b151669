// The sender of mails with a mail server that fails, is slow or refuses: retries, final refusals, and what is logged.

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
const TIMEOUT_MS = 60_000;

let database: Database;
let close: () => Promise<void>;
let office: PostOffice;
let user: User;
let failures: FailureEvent[];
/** The seconds until the next attempt, after each that failed. */
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

/** The only notice to this user: that the password was set. */
const notice = async () => {
  const [row] = await database.query<{ id: string; outcome: string | null; attempts: number; wait: number }>({
    text: `select n.id::text as id, outcome, attempts, extract(epoch from due_at - now_ms())::float8 as wait
      from notices n join portal_accounts a on a.id = n.recipient where a.email = $1`,
    values: [user.email],
  });
  return row;
};
const untilNotice = (wanted: (row: NonNullable<Awaited<ReturnType<typeof notice>>>) => boolean) =>
  until(
    async () => {
      const row = await notice();
      return row !== undefined && wanted(row);
    },
    TIMEOUT_MS,
    () => new Error('the notice did not reach this state'),
  );
const dueNow = () => database.query({ text: 'update notices set due_at = now_ms() where outcome is null' });
const letters = () => office.letters.filter(({ to }) => to.includes(user.email));
const idOf = (text: string) => /^Message-ID: (.*)$/im.exec(text)?.[1];

describe('a mail', () => {
  it('that is refused temporarily is retried at growing intervals until it is sent', async () => {
    office.refused.set(user.email, 450);
    const sender = start(office.url);
    for (const count of [1, 2, 3]) {
      await until(
        async () => delays.length === count,
        TIMEOUT_MS,
        () => new Error(`not tried ${count} times`),
      );
      await dueNow();
    }
    expect(delays.slice(0, 3)).toEqual([20, 40, 80]);
    expect(letters()).toEqual([]);
    office.refused.delete(user.email);
    await untilNotice(({ outcome }) => outcome === 'sent');
    expect(letters()).toHaveLength(1);
    expect(sender.counts().sent).toBe(1);
    // The server's reply contains the address, which must not be logged.
    expect(failures.length).toBeGreaterThan(2);
    for (const { error, where } of failures) {
      expect(where).toBe('mail');
      expect(`${(error as Error).message} ${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain(
        user.email,
      );
    }
  });

  it('that is refused permanently is not retried, and is counted in the outbox', async () => {
    office.refused.set(user.email, 550);
    const sender = start(office.url);
    await untilNotice(({ outcome }) => outcome === 'refused');
    await until(
      async () => sender.outbox().refused > 0,
      TIMEOUT_MS,
      () => new Error('the refusal was not counted'),
    );
    expect(office.asked.filter((address) => address === user.email)).toHaveLength(1);
    expect(failures).toEqual([]);
  });

  it('is retried if the server refuses to relay, even as a permanent refusal of the recipient', async () => {
    office.refused.set(user.email, '554 5.7.1 Relay access denied');
    start(office.url);
    await untilNotice(({ attempts, wait }) => attempts === 1 && wait < 25);
    expect((await notice())?.outcome).toBeNull();
    expect(failures).toHaveLength(1);
    office.refused.delete(user.email);
    await dueNow();
    await untilNotice(({ outcome }) => outcome === 'sent');
  });

  it('is retried if the server refuses the credentials', async () => {
    start(office.url.replace('s3cret', 'another'));
    await untilNotice(({ attempts, outcome, wait }) => attempts === 1 && outcome === null && wait < 25);
    expect(failures.map(({ error }) => (error as { code?: string }).code)).toEqual(['EAUTH']);
  });

  it('has the same Message-ID when it is sent again because its outcome was not stored', async () => {
    start(office.url);
    await untilNotice(({ outcome }) => outcome === 'sent');
    // The server accepted the mail, but the sender died before it stored the outcome.
    await database.query({ text: 'update notices set outcome = null, ended_at = null, due_at = now_ms()' });
    await until(
      async () => letters().length > 1,
      TIMEOUT_MS,
      () => new Error('it was not sent again'),
    );
    const [first, second] = letters();
    expect(idOf(first?.text ?? '')).toMatch(/^<[0-9a-f]{40}@portico\.example>$/);
    expect(idOf(second?.text ?? '')).toBe(idOf(first?.text ?? ''));
  });

  it('has another Message-ID when it is sent again with another link', async () => {
    const firm = await makeFirm(database);
    const invited = { email: newEmail(), name: 'New', role: 'developer' } as const;
    await inviteMember(database, firm.id, invited, operator);
    const mails = () => office.letters.filter(({ to }) => to.includes(invited.email));
    const waiting = `select from notices where kind = 'member_invited' and outcome is null`;
    const sent = (count: number) =>
      until(
        async () => mails().length === count && (await database.query({ text: waiting })).length === 0,
        TIMEOUT_MS,
        () => new Error(`not sent ${count} times`),
      );
    start(office.url);
    await sent(1);
    // The server accepted the mail, but the sender died before it stored the outcome.
    await database.query({ text: 'update notices set outcome = null, ended_at = null, due_at = now_ms()' });
    await sent(2);
    const [first, second] = mails();
    expect(idOf(second?.text ?? '')).not.toBe(idOf(first?.text ?? ''));
  });

  it('is retried after a timeout if the server accepts the connection and never replies', async () => {
    const silent: Server = createServer(() => {});
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', () => listening()));
    start(`smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    await untilNotice(({ attempts, outcome, wait }) => attempts === 1 && outcome === null && wait < 25);
    await opened[0]?.sender.close();
    silent.close();
    start(office.url);
    await dueNow();
    await untilNotice(({ outcome }) => outcome === 'sent');
  });
});

it('two senders send each of a hundred mails once', async () => {
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
    TIMEOUT_MS,
    () => new Error(`only ${mine().length} of 100`),
  );
  const [row] = await database.query<{ waiting: number }>({
    text: 'select count(*) as waiting from notices where outcome is null',
  });
  for (const { sender } of opened) await sender.close();
  expect(row?.waiting).toBeLessThanOrEqual(6);
  expect(mine()).toHaveLength(100);
});
