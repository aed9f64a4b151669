// HTTP: the client's address behind trusted proxies.
import type { FastifyRequest } from 'fastify';
import { readAddress } from '#core/client-address.ts';
import { isWithin } from '#core/networks.ts';

/** Whether a hop is a trusted proxy: an address or CIDR range of `proxies` covers it. */
export function trustedProxies(proxies: readonly string[]): (hop: string) => boolean {
  return (hop) => {
    const address = readAddress(hop);
    return address !== null && isWithin(proxies, address);
  };
}

/** The hop before the trusted proxies. Where that is not an address, the nearest hop that is one. */
export function clientAddress({ ip, ips = [ip] }: Pick<FastifyRequest, 'ip' | 'ips'>): string {
  for (const hop of [...ips].reverse()) {
    const address = readAddress(hop);
    if (address !== null) return address;
  }
  return 'unknown';
}
