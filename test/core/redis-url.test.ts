// REDIS_URL: one server, a Cluster or Sentinels, with the scheme given once; an error does not repeat the URL.
import { describe, expect, it } from 'vitest';
import { readRedisUrl } from '#core/redis-url.ts';

const node = (host: string, port = 6379) => ({ host, port });

describe('readRedisUrl parses', () => {
  it.each<[string, object]>([
    ['redis://one', { kind: 'single', tls: false, nodes: [node('one')], db: 0, username: undefined }],
    [
      'rediss://u:s3cr%E2%82%ACt@one:1/3',
      { kind: 'single', tls: true, nodes: [node('one', 1)], db: 3, password: 's3cr€t' },
    ],
    ['redis://one,', { kind: 'cluster', nodes: [node('one')] }],
    [
      'rediss://u:p@one:1, two:2',
      { kind: 'cluster', tls: true, nodes: [node('one', 1), node('two', 2)], username: 'u' },
    ],
    ['redis://one,redis://[::1]:7', { kind: 'cluster', nodes: [node('one'), node('::1', 7)] }],
    [
      'redis+cluster://u:p@one,two:2',
      { kind: 'cluster', tls: false, nodes: [node('one'), node('two', 2)], password: 'p' },
    ],
    ['rediss+cluster://one', { kind: 'cluster', tls: true, nodes: [node('one')] }],
    [
      'redis+sentinel://u:p@one,two:2/mymaster/4',
      { kind: 'sentinel', nodes: [node('one', 26379), node('two', 2)], master: 'mymaster', db: 4, username: 'u' },
    ],
    [
      'rediss+sentinel://one/mymaster?sentinel_username=w&sentinel_password=s%26t',
      { kind: 'sentinel', tls: true, db: 0, sentinelUsername: 'w', sentinelPassword: 's&t', password: undefined },
    ],
  ])('%s', (url, address) => {
    expect(readRedisUrl(url)).toMatchObject(address);
  });
});

it.each([
  'localhost',
  'http://u:planted@one',
  'redis+sentinel://u:planted@one',
  'redis+sentinel://u:planted@one/mymaster/first',
  'redis+cluster://u:planted@one:port',
  'redis+cluster://',
  'redis+proxy://u:planted@one',
  'redis://u:planted@one/first',
  ',',
])('readRedisUrl refuses %s without repeating its password', (url) => {
  expect(() => readRedisUrl(url)).toThrow(TypeError);
  expect(() => readRedisUrl(url)).not.toThrow(/planted/);
});
