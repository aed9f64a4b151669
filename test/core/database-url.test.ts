// DATABASE_URL with one host or several.
import { describe, expect, it } from 'vitest';
import { hostOf, urlsOfHosts } from '#core/database-url.ts';
import { ConfigurationError, readConfig } from '#src/config.ts';

describe('urlsOfHosts', () => {
  it.each([
    ['postgres://u:p@one/db', ['postgres://u:p@one/db']],
    [
      'postgres://u:p,@x@one:1,two:2/db?target_session_attrs=read-write',
      [
        'postgres://u:p,@x@one:1/db?target_session_attrs=read-write',
        'postgres://u:p,@x@two:2/db?target_session_attrs=read-write',
      ],
    ],
    ['postgresql://[::1]:5432,two', ['postgresql://[::1]:5432', 'postgresql://two']],
    ['postgres://u@localhost/db?host=/run/a,b', ['postgres://u@localhost/db?host=/run/a,b']],
  ])('%s', (url, urls) => {
    expect(urlsOfHosts(url)).toEqual(urls);
  });

  it('names a host without its credentials', () => {
    expect(hostOf('postgres://u:secret@one:1/db')).toBe('one:1');
    expect(hostOf('postgres://u@localhost/db?host=/run/postgres')).toBe('/run/postgres');
  });
});

describe('DATABASE_URL', () => {
  const fault = (DATABASE_URL: string): string[] => {
    try {
      readConfig({ DATABASE_URL });
    } catch (error) {
      if (error instanceof ConfigurationError) return error.faults;
      throw error;
    }
    return [];
  };

  it.each([
    'postgres://u@one:5432,two:5432/db',
    'postgres://u@one,two/db?target_session_attrs=read-write',
    'postgresql://u@one/db?target_session_attrs=primary',
  ])('may be %s', (url) => {
    expect(fault(url)).toEqual([]);
  });

  it.each([
    ['postgres://u:secret@one:x,two/db', 'not a valid URL: host or port is wrong'],
    ['postgres://u:secret@one:1,two:y/db', 'not a valid URL: host or port is wrong'],
    ['postgres://u:secret@one:99999/db', 'not a valid URL: host or port is wrong'],
    ['postgres://u:secret#@one/db', 'not a valid URL: host or port is wrong'],
    ['postgres:u:secret@one/db', 'not a URL that begins with postgres:// or postgresql://'],
    ['postgres://u:secret@one/db?target_session_attrs=any', 'target_session_attrs must be read-write or primary'],
    ['postgres://u:secret@one/db?host=one,two', 'several hosts belong before the path'],
  ])('may not be %s', (url, reason) => {
    expect(fault(url)).toEqual([expect.stringContaining(`DATABASE_URL: ${reason}`)]);
    expect(fault(url).join()).not.toContain('secret');
  });
});
