// A mail whose gateway was killed while sending it is sent by another gateway once its lease expires.

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/database.ts';
import { LEASE_SECONDS } from '#repositories/notices/outbox.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { until } from '#test/support/ports.ts';
import { makeOwner } from '../portal-server/people.ts';
import { openPostOffice, type PostOffice } from '../portal-server/post-office.ts';
import { type ServeProcess, startServe } from './serve-process.ts';

let created: TestDatabase;
let database: Database;
let office: PostOffice;
const gateways: ServeProcess[] = [];
beforeAll(async () => {
  created = await createMigratedDatabase();
  database = await openDatabase({ url: created.url });
  office = await openPostOffice();
});
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.end()));
});
afterAll(async () => {
  await office?.close();
  await database?.close();
  await created?.drop();
});

async function startGateway(): Promise<ServeProcess> {
  const gateway = await startServe({
    DATABASE_URL: created.url,
    SMTP_URL: office.url,
    MAIL_FROM: 'Portico <no-reply@portico.example>',
    PORTAL_URL: 'https://portico.example',
  });
  gateways.push(gateway);
  return gateway;
}

const outcome = async () => {
  const [row] = await database.query<{ outcome: string | null; attempts: number }>({
    text: 'select outcome, attempts from notices',
  });
  return row;
};

it('a mail whose gateway is killed while sending it is sent once, by another gateway', async () => {
  const first = await startGateway();
  const { email } = await makeOwner(database);
  office.held.add(email);
  await until(
    async () => office.asked.includes(email),
    60_000,
    () => new Error('no gateway sends the mail'),
  );
  first.signal('SIGKILL');
  await first.exited;
  expect(await outcome()).toEqual({ outcome: null, attempts: 1 });
  office.held.delete(email);

  await startGateway();
  await startGateway();
  // As if the time of the lease had passed, unless it has: then another gateway may be sending the mail.
  await database.query({
    text: `update notices set due_at = due_at - interval '1 second' * $1 where attempts = 1`,
    values: [LEASE_SECONDS],
  });
  await office.letterTo(email);
  await until(
    async () => (await outcome())?.outcome === 'sent',
    60_000,
    () => new Error('the mail is not recorded as sent'),
  );
  expect(await outcome()).toEqual({ outcome: 'sent', attempts: 2 });
  expect(office.letters.filter(({ to }) => to.includes(email))).toHaveLength(1);
});
