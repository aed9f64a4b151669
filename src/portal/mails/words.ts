// Mails: times, counts and the terms of grants in words.
import { upperFirst } from '#core/first-letter.ts';
import type { GrantTransition } from '#core/grant-lifecycle.ts';
import { SCOPE_NAMES, SCOPE_PLAIN_WORDS, SCOPES, type Scope } from '#core/scopes.ts';
import type { GrantFacts } from '#gateway/notices/notices.ts';

const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** An instant in the reader's time zone. */
type TimeText = (instant: string) => string;

/** `23 November 2026 at 15:03 CET`, with the time zone. UTC if the reader's zone is unknown. */
export function timeTextIn(zone: string | null): TimeText {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    timeZone: zone ?? 'UTC',
    timeZoneName: 'short',
  });
  return (instant) => format.format(new Date(instant));
}

/** Whether a notice about an end refers to this end: its occurrence starts with the end in milliseconds. */
export const isAboutEnd = (occurrence: string, end: string): boolean =>
  Number.parseInt(occurrence, 10) === Date.parse(end);

/** Further inputs of a mail's text. */
export interface MailParts {
  /** Origin of the portal. */
  origin: string;
  timeText: TimeText;
}

export const countText = (count: number, noun: string): string =>
  `${count.toLocaleString('en-GB')} ${noun}${count === 1 ? '' : 's'}`;

/** Terms as recorded in events. */
export interface Terms {
  scopes: readonly string[];
  filter: { type?: string; categories?: readonly string[]; items?: readonly string[] };
  expiresAt: string | null;
}

/** The terms after the last of these events. A change keeps terms that it does not mention. */
export function termsAfter(events: readonly { details: Record<string, unknown> }[]): Terms {
  const terms: Terms = { scopes: [], filter: {}, expiresAt: null };
  for (const { details } of events) {
    if (Array.isArray(details.scopes)) terms.scopes = details.scopes;
    if (typeof details.filter === 'object' && details.filter !== null) terms.filter = details.filter;
    if ('expires_at' in details) terms.expiresAt = (details.expires_at as string | null) ?? null;
  }
  return terms;
}

/** In words for clients. */
export function visibleText(scopes: readonly string[]): string {
  if (scopes.length === SCOPES.length) return 'Everything that can be shared';
  return upperFirst(LIST.format(scopes.map((scope) => SCOPE_PLAIN_WORDS[scope as Scope] ?? scope)));
}

/** In words for firms. */
export const scopesText = (scopes: readonly string[]): string =>
  scopes.map((scope) => SCOPE_NAMES[scope as Scope] ?? scope).join(', ');

/** The covered items. Items and collections are not named, since others may read a mail in transit. */
export function itemsText({ filter }: Terms, categories: GrantFacts['categories']): string {
  switch (filter.type) {
    case 'category':
      return LIST.format((filter.categories ?? []).map((code) => categories.get(code) ?? code));
    case 'items':
      return countText(filter.items?.length ?? 0, 'item');
    case 'collection':
      return 'One collection';
    default:
      return 'All items, also those that are added later';
  }
}

export const untilText = ({ expiresAt }: Terms, timeText: TimeText): string =>
  expiresAt === null ? 'Until it is revoked' : timeText(expiresAt);

/** The firm and its own details. A web site is shown as its host, not as a link, which would look like one of ours. */
export function firmFacts({ grant, firm: { address, website, email, phone } }: GrantFacts): [string, string][] {
  const facts: [name: string, value: string][] = [['Firm', grant.firmName]];
  if (address !== null) facts.push(['Address', address.replaceAll('\n', ', ')]);
  if (website !== null) facts.push(['Web site', new URL(website).host]);
  const contact = [email, phone].filter((one) => one !== null);
  if (contact.length > 0) facts.push(['Contact', contact.join(', ')]);
  return facts;
}

/** How an approval is narrower than the request. */
export function narrowedText(requested: Terms, given: Terms): string[] {
  const scopes = requested.scopes.some((scope) => !given.scopes.includes(scope));
  const filter = JSON.stringify(requested.filter) !== JSON.stringify(given.filter);
  const end = requested.expiresAt !== given.expiresAt;
  return [...(scopes ? ['fewer scopes'] : []), ...(filter ? ['fewer items'] : []), ...(end ? ['an earlier end'] : [])];
}

export const lastOf = <Event extends { action: GrantTransition }>(
  events: readonly Event[],
  ...actions: GrantTransition[]
): Event | undefined => events.findLast(({ action }) => actions.includes(action));
