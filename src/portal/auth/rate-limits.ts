// Portal: how often a minute somebody may try, by the product's own limiter: on all gateways together.
import { hash } from 'node:crypto';
import { addressGroup } from '#core/client-address.ts';
import type { PortalCall } from '../call.ts';

/** Attempts in 60 seconds. An address may be an office's: it gets more room than a person. */
const ATTEMPTS = { address: 60, person: 10 } as const;
/** Everything else that needs no session, such as reading which providers there are. */
const LOOKS = 300;
/** Operations of one account: many times what people and their open pages ask for. */
const OPERATIONS = 1_200;

/** An attempt at something secret, by what it is aimed at: an e-mail address, an account. */
export async function limitAttempts(call: PortalCall, aim: string | null): Promise<void> {
  await call.limit(`attempt:${addressGroup(call.request.ip)}`, ATTEMPTS.address);
  // The limiter's store is no place for e-mail addresses.
  if (aim !== null) await call.limit(`attempt:${hash('sha256', aim.toLowerCase(), 'base64url')}`, ATTEMPTS.person);
}

export function limitLooks(call: PortalCall): Promise<void> {
  return call.limit(`look:${addressGroup(call.request.ip)}`, LOOKS);
}

export function limitOperations(call: PortalCall, accountId: string): Promise<void> {
  return call.limit(`account:${accountId}`, OPERATIONS);
}
