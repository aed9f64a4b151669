// Mails: to a firm's members: approvals, changes and ends of grants. They are not told about requests that were
// declined or reached nobody.
import { NEAR_PERCENT } from '#core/near-limit.ts';
import type { NoticeKind } from '#core/notices.ts';
import { scopesOf } from '#core/scopes.ts';
import type { ExpiringGrants, GrantFacts, Notice, Notices } from '#gateway/notices/notices.ts';
import type { Content } from './letter.ts';
import {
  countText,
  isAboutEnd,
  itemsText,
  lastOf,
  type MailParts,
  narrowedText,
  scopesText,
  termsAfter,
  untilText,
} from './words.ts';

/** Reports the present state, whatever has happened since; null if there is nothing to report any more. */
export function answerMail(kind: NoticeKind, facts: GrantFacts, { origin, timeText }: MailParts): Content | null {
  const { grant, events } = facts;
  const client = grant.clientName;
  // The firm may know the client once they have approved. Without a client there was no approval.
  if (client === null) return null;
  if (kind !== 'firm_grant_revoked' && grant.status !== 'active') return null;
  const terms = { ...grant, scopes: scopesOf(grant.scopes) };
  const [request, approval] = [lastOf(events, 'request'), lastOf(events, 'approve')];
  const action = { label: 'Open it in Portico', url: `${origin}/portal/access/${grant.id}` };
  const of: NonNullable<Content['facts']> = [
    ['Client', client],
    ['Key', grant.keyName],
    ['Grant', grant.id],
  ];
  const shown: Content['facts'] = [
    ...of,
    ['Scopes', scopesText(terms.scopes)],
    ['Items', itemsText(terms, facts.categories)],
    ['Ends', untilText(terms, timeText)],
  ];
  switch (kind) {
    case 'firm_grant_given': {
      const narrowed =
        request === undefined || approval === undefined
          ? []
          : narrowedText(termsAfter([request]), termsAfter([approval]));
      const less = narrowed.length > 0;
      return {
        subject: less ? `${client} approved less than you asked for` : `${client} gave you access`,
        paragraphs: [
          less
            ? `The approval differs from the request: ${narrowed.join(', ')}. Responses contain only the approved fields and items.`
            : 'The key can read the client’s portfolio from now on.',
        ],
        facts: shown,
        action,
      };
    }
    case 'firm_grant_changed':
      return {
        subject: `What you may see of ${client} was changed`,
        paragraphs: ['The key sees the following from now on. A synchronisation in progress starts over.'],
        facts: shown,
        action,
      };
    case 'firm_grant_revoked':
      return {
        subject: `Your access to the portfolio of ${client} was ended`,
        paragraphs: ['Requests about this client are refused from now on with “grant_revoked”.'],
        facts: of,
        action,
      };
    default:
      return null;
  }
}

export function expiringMail(
  { total, grants }: ExpiringGrants,
  { details }: Notice,
  { origin, timeText }: MailParts,
): Content | null {
  if (total === 0) return null;
  const more = total - grants.length;
  return {
    subject: `${countText(total, 'grant')} to you ${total === 1 ? 'ends' : 'end'} in ${String(details.days)} days`,
    paragraphs: [
      `The following ${total === 1 ? 'grant expires. Only the client can extend it.' : 'grants expire. Only the clients can extend them.'}`,
    ],
    facts: [
      ...grants.map(
        ({ clientName, keyName, expiresAt }) => [clientName, `${keyName}, ${timeText(expiresAt)}`] as const,
      ),
      ...(more > 0 ? [['And', `${countText(more, 'more grant')}`] as const] : []),
    ],
    action: { label: 'Open your grants in Portico', url: `${origin}/portal/access` },
  };
}

type Key = NonNullable<Awaited<ReturnType<Notices['key']>>>;

export function keyMail(
  kind: NoticeKind,
  key: Key,
  { details, occurrence }: Notice,
  { origin, timeText }: MailParts,
): Content | null {
  const action = { label: 'Open the key in Portico', url: `${origin}/portal/keys/${key.id}` };
  const facts: Content['facts'] = [
    ['Key', key.name],
    ['Environment', key.environment],
    ['Last four', key.lastFour],
  ];
  if (key.status !== 'active') return null;
  if (kind === 'firm_key_ending') {
    if (key.expiresAt === null || !isAboutEnd(occurrence, key.expiresAt) || key.rotatedTo !== null) return null;
    return {
      subject: `The key “${key.name}” expires in ${String(details.days)} days`,
      paragraphs: [
        `It works until ${timeText(key.expiresAt)}; requests with it are then refused. To keep using it, set a later expiry before then: a new key would need new grants from your clients.`,
      ],
      facts,
      action,
    };
  }
  const whose = details.of === 'firm' ? 'the limit of all your keys together' : 'its limit';
  const limit = `${countText(Number(details.limit), 'request')} in any 60 seconds`;
  const told = 'You are told of this at most once a day for each key.';
  if (kind === 'firm_limit_near')
    return {
      subject: `The key “${key.name}” has used ${NEAR_PERCENT} % of a limit`,
      paragraphs: [
        `On ${timeText(String(details.at))} at least ${NEAR_PERCENT} % of ${whose} (${limit}) were in use. Beyond it, requests are refused with status 429.`,
        told,
      ],
      facts,
      action,
    };
  if (kind === 'firm_limit_refused')
    return {
      subject: `Requests of the key “${key.name}” are refused`,
      paragraphs: [
        `On ${timeText(String(details.at))} ${whose} (${limit}) was reached, and a request was refused with status 429. The header Retry-After says when to try again.`,
        told,
      ],
      facts,
      action,
    };
  return null;
}
