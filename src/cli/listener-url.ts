// Command line: URLs of listeners.

/** URL of a listener, with an IPv6 address in brackets. */
export const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** URL from this machine: a listener bound to all addresses is reached at the loopback address. */
export const localUrlOf = (host: string, port: number): string =>
  urlOf({ '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host, port);
