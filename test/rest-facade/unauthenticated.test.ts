// Guarantee: callers without a valid key are limited by address, at no cost to any key.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { expectError, expectEveryHeader } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { call, type Response } from '#test/support/scenario.ts';

let behindProxy: TestGateway;
let direct: TestGateway;
let partner: Partner;

beforeAll(async () => {
  behindProxy = await startGateway({ env: { TRUST_PROXY: '127.0.0.1,10.0.0.0/8' } });
  direct = await startGateway({ databaseUrl: behindProxy.databaseUrl });
  partner = await makePartner(behindProxy);
});
afterAll(async () => {
  await direct.stop();
  await behindProxy.stop();
});

const from = (address: string, path = '/api/v1/assets', secret: string | null = null, method = 'GET') =>
  call(behindProxy.url + path, secret, { method, headers: { 'X-Forwarded-For': address } });
const left = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining'));

describe('an address', () => {
  it('gets the requests a minute of the Sandbox tier without a valid key, then 429', async () => {
    const address = '192.0.2.1';
    const kinds: (() => Promise<Response>)[] = [
      () => from(address),
      () => from(address, '/nowhere'),
      () => from(address, '/api/v1/assets', makeKeySecret('production').text),
      () => from(address, '/api/v1/assets', partner.key.secret, 'POST'),
    ];
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => kinds[index % 4]?.()));
    expect(answers.map((answer) => answer?.status).filter((status) => status === 429)).toEqual([]);
    for (const answer of answers) expectEveryHeader(answer as Response, 100);
    for (const kind of kinds) {
      const refused = await kind();
      expectError(refused, 429, 'rate_limit_exceeded');
      expect(refused.headers.get('www-authenticate')).toBeNull();
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
      expect(refused.headers.get('ratelimit-policy')).toBe('"address";q=100;w=60');
    }
  });

  it('over its limit does not limit a valid key', async () => {
    const response = await partner.get('/assets', { headers: { 'X-Forwarded-For': '192.0.2.1' } });
    expect(response.status).toBe(200);
    expectEveryHeader(response, 20_000);
    expect(left(response)).toBe(19_999);
  });

  it('is limited for requests that reach no endpoint, with any key, as the reference says', async () => {
    const { info } = (await call(`${direct.url}/openapi.json`, null)).body;
    const [, limits = ''] = /\n## Rate limits\n([\s\S]*?)\n## /.exec(info.description) ?? [];
    for (const [path, method] of [
      ['/nowhere', 'GET'],
      ['/api/v1/assets', 'POST'],
    ] as const) {
      const { headers, body } = await from('192.0.2.200', path, partner.key.secret, method);
      expect(headers.get('ratelimit-policy')).toBe('"address";q=100;w=60');
      expect(limits).toContain(`\`${body.error.code}\``);
    }
  });

  it('has a limit of its own', async () => {
    expect(left(await from('192.0.2.2'))).toBe(99);
  });

  it('of IPv6 counts as its /64', async () => {
    expect(left(await from('2001:db8:1:2::1'))).toBe(99);
    expect(left(await from('2001:db8:1:2:ffff::2'))).toBe(98);
    expect(left(await from('2001:0db8:0001:0002::3'))).toBe(97);
    expect(left(await from('2001:db8:1:3::1'))).toBe(99);
  });

  it('mapped from IPv4 is the IPv4 address', async () => {
    expect(left(await from('192.0.2.77'))).toBe(99);
    expect(left(await from('::ffff:192.0.2.77'))).toBe(98);
    expect(left(await from('::ffff:c000:24d'))).toBe(97);
  });
});

describe('X-Forwarded-For', () => {
  it('gives the rightmost address that is not a trusted proxy', async () => {
    expect(left(await from('203.0.113.9, 192.0.2.3'))).toBe(99);
    expect(left(await from('203.0.113.10, 192.0.2.3, 10.1.2.3'))).toBe(98);
  });

  it('may carry ports, which are ignored', async () => {
    expect(left(await from('192.0.2.30:1001'))).toBe(99);
    expect(left(await from('192.0.2.30:1002'))).toBe(98);
    expect(left(await from('192.0.2.30, 10.1.2.3:443'))).toBe(97);
    expect(left(await from('[2001:db8:9::1]:1001'))).toBe(99);
    expect(left(await from('[2001:db8:9::2]'))).toBe(98);
  });

  it('with anything other than an address counts against the proxy', async () => {
    const junk = ['unknown', 'a'.repeat(500), '192.0.2.999', '1.2.3', '192.0.2.1:x', '-', '::1%eth0'];
    const behind = async (hop: string) => left(await from(`${hop}, 10.9.9.9`));
    const first = await behind('_hidden');
    for (const [index, hop] of junk.entries()) expect(await behind(hop)).toBe(first - 1 - index);
  });

  it('from an untrusted peer is ignored', async () => {
    const spoof = (address: string) =>
      call(`${direct.url}/api/v1/assets`, null, { headers: { 'X-Forwarded-For': address } });
    expect(left(await spoof('192.0.2.4'))).toBe(99);
    expect(left(await spoof('192.0.2.5'))).toBe(98);
  });
});
