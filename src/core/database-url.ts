// Core: the URL of a database, which may list several hosts, as libpq has it: postgres://user@one:5432,two:5432/name.

const HOSTS = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/** The same URL for each of its hosts. */
export function urlsOfHosts(url: string): string[] {
  const [, start = url, hosts = '', rest = ''] = HOSTS.exec(url) ?? [];
  return hosts.split(',').map((host) => `${start}${host}${rest}`);
}

/** What may be shown of a URL with one host: host and port, or the socket's directory. */
export function hostOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed?.searchParams.get('host') || parsed?.host || 'localhost';
}
