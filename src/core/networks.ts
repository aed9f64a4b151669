// Core: networks as CIDR ranges, and whether an address is in one of them.
import { BlockList, isIP } from 'node:net';
import { getOrInsert } from './get-or-insert.ts';

/** A longer list could not be reviewed by people. */
export const MAX_NETWORKS = 50;

const widest = (address: string): number => (isIP(address) === 4 ? 32 : 128);

/** Whether the text is an address or a CIDR range, IPv4 or IPv6. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const sound = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest(address));
  return isIP(address) !== 0 && sound && rest.length === 0;
}

/**
 * Normalises an address or CIDR range, IPv4 or IPv6: `203.0.113.7` is the network of that one address. Null for
 * anything else, and for IPv4-mapped IPv6, which callers' addresses never are.
 */
export function readNetwork(text: string): string | null {
  const network = text.trim();
  if (!isAddressRange(network) || network.includes('%') || /^::ffff:/i.test(network)) return null;
  return network.includes('/') ? network : `${network}/${widest(network)}`;
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const built = new WeakMap<readonly string[], BlockList>();

/**
 * Whether the address is in one of these addresses and CIDR ranges. The array is parsed once, so it must not change.
 */
export function isWithin(networks: readonly string[], address: string): boolean {
  const list = getOrInsert(built, networks, () => listOf(networks));
  return isIP(address) !== 0 && list.check(address, familyOf(address));
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [first = '', bits] = network.split('/');
    if (bits === undefined) list.addAddress(first, familyOf(first));
    else list.addSubnet(first, Number(bits), familyOf(first));
  }
  return list;
}
