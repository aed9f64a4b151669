// Command line: how a listener is addressed.

/** As in a URL: an IPv6 address stands in brackets. */
export const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** From this machine: what is bound to all addresses is reached at the loopback one. */
export const localUrlOf = (host: string, port: number): string =>
  urlOf({ '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host, port);
