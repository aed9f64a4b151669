// Core: reads callers' addresses, and groups them for counting callers without a credential.
import { isIP } from 'node:net';

/**
 * Reads the address in a hop of X-Forwarded-For, which some proxies write with a port. Null where the text is no
 * address, or is absent: a closed connection has no address.
 */
export function readAddress(text: string | undefined): string | null {
  if (text === undefined) return null;
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/.exec(text.trim()) ?? [];
  const address = bracketed ?? plain ?? text.trim();
  // A zone, as in fe80::1%eth0, names an interface of the proxy and does not identify the caller.
  return isIP(address) === 0 || address.includes('%') ? null : address;
}

/** The /24 of an IPv4 address or the /48 of an IPv6 one: too coarse to identify a person. */
export function networkOf(address: string): string {
  const group = addressGroup(address);
  if (group.includes(':')) return `${group.split(':', 3).join(':')}::/48`;
  return group.replace(/\.\d+$/, '.0/24');
}

/** An IPv4 address, or the /64 of an IPv6 one in any notation: a subscriber usually controls a whole /64. */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  // The URL parser gives the shortest form, in lower case, without dotted decimals.
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(written) ?? [];
  if (high !== undefined && low !== undefined) {
    return [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]).join('.');
  }
  const [head = '', tail] = written.split('::');
  const groups = head.split(':').filter(Boolean);
  if (tail !== undefined) {
    const after = tail.split(':').filter(Boolean);
    while (groups.length + after.length < 8) groups.push('0');
    groups.push(...after);
  }
  return `${groups.slice(0, 4).join(':')}::/64`;
}
