// Portal: how often a minute somebody may try, by the product's own limiter: on all gateways together.
import { hash } from 'node:crypto';
import { addressGroup } from '#core/client-address.ts';
import { Refusal } from '#core/errors.ts';
import type { Exchange } from '#http/exchange.ts';
import { limitHeaders } from '#limits/headers.ts';

/** Attempts in 60 seconds. An address may be an office's: its limit is higher than a person's. */
const ATTEMPTS = { address: 60, person: 10 } as const;
/** Everything else that needs no session, such as reading which providers there are. */
const LOOKS = 300;
/** Operations of one account: many times what people and their open pages ask for. */
const OPERATIONS = 1_200;

export const UNAUTHENTICATED = { prefix: 'portal:look', limit: LOOKS };

/** Counts the request against a subject's limit a minute. Throws Refusal when the limit is reached. */
async function limit(exchange: Exchange, subject: string, perMinute: number): Promise<void> {
  const allowance = await exchange.gateway.limiter.take(`portal:${subject}`, perMinute);
  if (allowance.admitted) return;
  const retry = limitHeaders('portal', allowance)['Retry-After'];
  if (retry !== undefined) exchange.headers['Retry-After'] = retry;
  throw new Refusal(allowance.unavailable ? 'service_unavailable' : 'rate_limit_exceeded');
}

/** An attempt at something secret, by what it is aimed at: an e-mail address, an account. */
export async function limitAttempts(exchange: Exchange, aim: string | null): Promise<void> {
  await limit(exchange, `attempt:${addressGroup(exchange.request.ip)}`, ATTEMPTS.address);
  // The limiter's store is no place for e-mail addresses.
  if (aim !== null) await limit(exchange, `attempt:${hash('sha256', aim.toLowerCase(), 'base64url')}`, ATTEMPTS.person);
}

export function limitLooks(exchange: Exchange): Promise<void> {
  return limit(exchange, `look:${addressGroup(exchange.request.ip)}`, LOOKS);
}

export function limitOperations(exchange: Exchange, accountId: string): Promise<void> {
  return limit(exchange, `account:${accountId}`, OPERATIONS);
}
