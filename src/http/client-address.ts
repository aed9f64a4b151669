// HTTP: whose address a request comes from, behind which proxies.
import type { FastifyRequest } from 'fastify';
import { readAddress } from '#core/client-address.ts';
import { isWithin } from '#core/networks.ts';

/** Whether a hop is a proxy whose X-Forwarded-For counts: an address or in a CIDR range of `proxies`. */
export function trustedProxies(proxies: readonly string[]): (hop: string) => boolean {
  return (hop) => {
    const address = readAddress(hop);
    return address !== null && isWithin(proxies, address);
  };
}

/** The hop before the trusted proxies; where what it is called by is no address, the last one that is. */
export function clientAddress({ ip, ips = [ip] }: Pick<FastifyRequest, 'ip' | 'ips'>): string {
  for (const hop of [...ips].reverse()) {
    const address = readAddress(hop);
    if (address !== null) return address;
  }
  return 'unknown';
}
