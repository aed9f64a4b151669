// Firm: whether two lists contain the same networks in any notation: the server stores `203.0.113.77/24` as
// `203.0.113.0/24`.
import { isSame } from '../../../components/same.ts';

export const sameNetworks = (left: readonly string[], right: readonly string[]): boolean =>
  isSame(keysOf(left), keysOf(right));

const keysOf = (networks: readonly string[]) => [...new Set(networks.map(keyOf))].sort();

/** The significant bits, and the length of the address; an invalid network is represented by its text. */
function keyOf(network: string): string {
  const [address = '', length] = network.split('/');
  const bits = bitsOf(address);
  if (bits === null) return network;
  const counts = Number(length ?? bits.length);
  return `${bits.length}/${counts} ${bits.slice(0, counts)}`;
}

/** 32 or 128 bits. */
function bitsOf(address: string): string | null {
  if (!address.includes(':')) return address.split('.').map(inBits(10, 8)).join('');
  // Browsers shorten IPv6 addresses.
  const groups = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1).split('::');
  if (groups === undefined) return null;
  const [head = [], tail = []] = groups.map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].map(inBits(16, 16)).join('');
}

const inBits = (base: number, width: number) => (group: string) =>
  Number.parseInt(group, base).toString(2).padStart(width, '0');
