// Guarantee: people choose among the optional notifications of their role, for themselves alone.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { User } from '#repositories/users.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { codeOf, openPortal, type Portal } from '#test/support/portal.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { makeClient, makeFirm } from '#test/support/scenario.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

let gateway: TestGateway;
let portal: Portal;
let client: User;
let member: User;
beforeAll(async () => {
  gateway = await startGateway();
  portal = await openPortal(gateway.database);
  client = await makeClient(gateway.database);
  member = await makeMember(gateway, await makeFirm(gateway.database));
});
afterAll(async () => {
  portal?.close();
  await gateway?.stop();
});

interface Topic {
  topic: string;
  mails: boolean;
  required: boolean;
}

const topicsOf = async ({ id }: User): Promise<string[]> => {
  const { topics } = await portal.as(id)(QUERIES.notificationSettings);
  return topics.map(({ topic, mails, required }: Topic) => `${topic}${required ? '!' : ''} ${mails}`);
};

it('topics are those of the role, and on until the user turns them off', async () => {
  const all = ['requests true', 'receipts! true', 'ending true', 'first_use true', 'security! true'];
  expect(await topicsOf(client)).toEqual(all);
  expect(await topicsOf(member)).toEqual([
    'answers true',
    'firm_ending true',
    'keys true',
    'limits true',
    'security! true',
  ]);
  const other = await makeClient(gateway.database);
  const set = (mails: boolean) => portal.as(client.id)(MUTATIONS.setNotification, { topic: 'ending', mails });
  for (const _twice of [1, 2]) {
    await set(false);
    expect(await topicsOf(client)).toEqual(all.with(2, 'ending false'));
  }
  expect(await topicsOf(other)).toEqual(all);
  await set(true);
  expect(await topicsOf(client)).toEqual(all);
});

it.each(['receipts', 'security', 'nothing', 'constructor'])('a client cannot turn off %s', async (topic) => {
  expect(await codeOf(portal.as(client.id)(MUTATIONS.setNotification, { topic, mails: false }))).toBe(
    'invalid_parameter',
  );
  expect((await topicsOf(client)).filter((one) => one.endsWith('false'))).toEqual([]);
});

it('topics of another role cannot be turned off', async () => {
  const choose = ({ id }: User, topic: string) => portal.as(id)(MUTATIONS.setNotification, { topic, mails: false });
  expect(await codeOf(choose(client, 'limits'))).toBe('forbidden');
  expect(await codeOf(choose(member, 'requests'))).toBe('forbidden');
});
