// Portal: how often a minute somebody may try, by the product's own limiter: on all gateways together.
import { addressDigest } from '#core/address-digest.ts';
import { Refusal } from '#core/errors.ts';
import type { People } from '#gateway/consent/people.ts';
import type { Exchange } from '#http/exchange.ts';
import { limitHeaders } from '#limits/headers.ts';
import type { SignIn } from './sign-in.ts';

/** Attempts in 60 seconds. A network may be an office's: its limit is higher than a person's. */
const ATTEMPTS = {
  /** From one network, or from the devices on which somebody has signed in before. */
  caller: 60,
  /** At one person's password: from one network, from such devices of theirs, or in one session. */
  person: 10,
  /** At one person's password from all networks together, such devices apart. */
  everywhere: 100,
} as const;
/** Mails with a link to one address. */
const RESETS = { most: 5, hours: 1 } as const;
/** Everything else that needs no session, such as reading which providers there are. */
const LOOKS = 300;
/** Operations of one account: many times what people and their open pages ask for. */
const OPERATIONS = 1_200;

export const UNAUTHENTICATED = { prefix: 'portal:look', limit: LOOKS };

/** Counts the request against a subject's limit a minute. Throws Refusal when the limit is reached. */
async function limit(exchange: Exchange, subject: string, perMinute: number): Promise<void> {
  const allowance = await exchange.count(`portal:${subject}`, perMinute);
  if (allowance.admitted) return;
  const retry = limitHeaders({ portal: allowance })['Retry-After'];
  if (retry !== undefined) exchange.headers['Retry-After'] = retry;
  throw new Refusal(allowance.unavailable ? 'service_unavailable' : 'rate_limit_exceeded');
}

/** Whose attempts count together: those from devices on which one person has signed in before, or from a network. */
const callerOf = ({ request, address }: Exchange, { devices }: SignIn): string =>
  devices.anybody(request.headers.cookie) ?? address;

/** An attempt at something secret that names nobody: a link, a code. */
export function limitAttempts(exchange: Exchange, signIn: SignIn): Promise<void> {
  return limit(exchange, `attempt:${callerOf(exchange, signIn)}`, ATTEMPTS.caller);
}

/** An attempt at the password of the account whose session this is. */
export async function limitAttemptsAt(exchange: Exchange, accountId: string): Promise<void> {
  await limit(exchange, `attempt:${accountId}`, ATTEMPTS.person);
}

/**
 * An attempt at the password of the person with this address. Whoever knows the address uses up what their own network
 * may try, and at most what strangers may; the person's own devices are counted apart, all of them together.
 */
export async function limitSignIns(
  exchange: Exchange,
  { signIn, people }: { signIn: SignIn; people: People },
  email: string,
): Promise<void> {
  const person = addressDigest(email);
  const epoch = signIn.devices.epochOf(exchange.request.headers.cookie, email);
  if (epoch !== null && epoch === (await people.sessionEpoch(email)))
    return limit(exchange, `attempt:${person}:devices`, ATTEMPTS.person);
  const network = exchange.address;
  await limit(exchange, `attempt:${network}`, ATTEMPTS.caller);
  await limit(exchange, `attempt:${person}:${network}`, ATTEMPTS.person);
  await limit(exchange, `attempt:${person}`, ATTEMPTS.everywhere);
}

/** A mail with a link to this address, whether or not anybody here has it. */
export async function limitResets(
  exchange: Exchange,
  { signIn, people }: { signIn: SignIn; people: People },
  email: string,
): Promise<void> {
  await limitAttempts(exchange, signIn);
  const message = 'Five links were asked for within the hour. Use the one in the newest mail, or ask again later.';
  await people.takeAllowance(`reset:${addressDigest(email)}`, RESETS, message);
}

export function limitLooks(exchange: Exchange, signIn: SignIn): Promise<void> {
  return limit(exchange, `look:${callerOf(exchange, signIn)}`, LOOKS);
}

export function limitOperations(exchange: Exchange, accountId: string): Promise<void> {
  return limit(exchange, `account:${accountId}`, OPERATIONS);
}
