// Core: database URLs, which may list several hosts as in libpq: postgres://user@one:5432,two:5432/name.

const HOSTS = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/** One URL for each host in the list. */
export function urlsOfHosts(url: string): string[] {
  const [, start = url, hosts = '', rest = ''] = HOSTS.exec(url) ?? [];
  return hosts.split(',').map((host) => `${start}${host}${rest}`);
}

/** The part of a single-host URL that may be shown: host and port, or the socket's directory. */
export function hostOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed?.searchParams.get('host') || parsed?.host || 'localhost';
}

/** The database as it may be shown, without user and secret. */
export function nameOfDatabase(url: string): string {
  const urls = urlsOfHosts(url);
  const name = URL.parse(urls[0] ?? '')?.pathname.slice(1);
  return `the database ${name ? `${name} ` : ''}at ${urls.map(hostOf).join(',')}`;
}
