// Core: whom an address stands for, where callers without a credential are counted.
import { isIP } from 'node:net';

/** The address in a hop of X-Forwarded-For, which some proxies write with a port; null where there is none. A connection that has ended tells none. */
export function readAddress(text: string | undefined): string | null {
  if (text === undefined) return null;
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/.exec(text.trim()) ?? [];
  const address = bracketed ?? plain ?? text.trim();
  // A zone, as in fe80::1%eth0, says where the proxy is and not who calls.
  return isIP(address) === 0 || address.includes('%') ? null : address;
}

/** The /24 of an IPv4 address or the /48 of an IPv6 one: where a caller is, and not who. */
export function networkOf(address: string): string {
  const group = addressGroup(address);
  if (group.includes(':')) return `${group.split(':', 3).join(':')}::/48`;
  return group.replace(/\.\d+$/, '.0/24');
}

/** An IPv4 address, or the /64 of an IPv6 one, however written: a subscriber has all addresses of a /64. */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  // As URLs write it: shortest, in small letters, its last part not in decimals.
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
