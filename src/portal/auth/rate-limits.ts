// Portal: rate limits per minute for sign-in and the portal, by the product's own limiter for all gateways together.
import { addressDigest } from '#core/address-digest.ts';
import { Refusal } from '#core/errors.ts';
import type { People } from '#gateway/consent/people.ts';
import type { Exchange } from '#http/exchange.ts';
import type { SignIn } from './sign-in.ts';

/** Attempts in 60 seconds. A network may be an office's, so its limit is higher than a person's. */
const ATTEMPTS = {
  /** From one network, or from the devices on which one person has signed in before. */
  caller: 60,
  /** For one person's password: from one network, from the person's known devices, or within one session. */
  person: 10,
  /** For one person's password from all networks together, without known devices. */
  everywhere: 100,
} as const;
/** Mails with a link to one address. */
const RESETS = { max: 5, hours: 1 } as const;
/** Other requests without a session, also those of pages whose session ended, and reads of one's own account. */
const MAX_READS = 300;
/** Requests in the sessions of one account: many times as many as people and their open pages cause. */
const OPERATIONS = 1_200;

export const UNAUTHENTICATED = { prefix: 'portal:look', limit: MAX_READS };

/** Counts the request against the subject's limit per minute. Throws Refusal if the limit is reached. */
async function limit(exchange: Exchange, subject: string, perMinute: number): Promise<void> {
  const { admitted, unavailable, retryAfter } = await exchange.count(`portal:${subject}`, perMinute);
  if (admitted) return;
  // People read it, and the page adds when to try again.
  const message = 'There were too many requests within a minute.';
  throw unavailable ? new Refusal('service_unavailable') : new Refusal('rate_limit_exceeded', { message, retryAfter });
}

/** The subject of attempts: the person whose device is known, else the network. */
const callerOf = ({ request, address }: Exchange, { devices }: SignIn): string =>
  devices.anybody(request.headers.cookie) ?? address;

/** An attempt with a secret that names no person, such as a link or a code. */
export function limitAttempts(exchange: Exchange, signIn: SignIn): Promise<void> {
  return limit(exchange, `attempt:${callerOf(exchange, signIn)}`, ATTEMPTS.caller);
}

/** An attempt at the password of the session's account. */
export async function limitAttemptsAt(exchange: Exchange, accountId: string): Promise<void> {
  await limit(exchange, `attempt:${accountId}`, ATTEMPTS.person);
}

/**
 * An attempt at the password of the person with this address. Others who know the address only use up the limits of
 * their own network and of all unknown devices; the person's known devices are counted separately, all together.
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

/** A mail with a link to this address, whether or not it has an account. */
export async function limitResets(
  exchange: Exchange,
  { signIn, people }: { signIn: SignIn; people: People },
  email: string,
): Promise<void> {
  await limitAttempts(exchange, signIn);
  const message = 'Five links were requested within an hour. Use the link in the newest mail, or try again later.';
  await people.takeAllowance(`reset:${addressDigest(email)}`, RESETS, message);
}

export function limitReads(exchange: Exchange, signIn: SignIn): Promise<void> {
  return limit(exchange, `look:${callerOf(exchange, signIn)}`, MAX_READS);
}

export function limitOperations(exchange: Exchange, accountId: string): Promise<void> {
  return limit(exchange, `account:${accountId}`, OPERATIONS);
}
