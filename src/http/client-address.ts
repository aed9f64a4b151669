// HTTP: whose address a request comes from, behind which proxies.
import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { readAddress } from '#core/client-address.ts';

/** Whether a hop is a proxy whose X-Forwarded-For counts: an address or in a CIDR range of `proxies`. */
export function trustedProxies(proxies: readonly string[]): (hop: string) => boolean {
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return (hop) => {
    const address = readAddress(hop);
    return address !== null && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
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
