// Mails: to clients: requests for access, grants, and their ends.
import type { NoticeKind } from '#core/notices.ts';
import type { GrantFacts, Notice } from '#gateway/notices/notices.ts';
import type { Content } from './letter.ts';
import {
  firmFacts,
  isAboutEnd,
  itemsText,
  lastOf,
  type MailParts,
  termsAfter,
  untilText,
  visibleText,
} from './words.ts';

const REVOKE =
  'You can end this access at any time: open it in Portico and choose “Revoke”. It then ends at once. What was read before stays with the firm.';

/** Null if there is nothing to report any more. */
export function clientMail(
  kind: NoticeKind,
  facts: GrantFacts,
  { details, occurrence }: Notice,
  { origin, timeText }: MailParts,
): Content | null {
  const { grant, events } = facts;
  const { firmName } = grant;
  const terms = termsAfter(events);
  const url = `${origin}/portal/connected/${grant.id}`;
  const open = { label: 'Open it in Portico', url };
  const last = events.at(-1);
  const by = last?.actor.kind === 'client' ? 'You' : (last?.actor.name ?? 'Portico');
  const receiptId = `${grant.id}.${occurrence}`;
  const receipt = (state: string): NonNullable<Content['facts']> => [
    ...firmFacts(facts),
    ['May see', visibleText(terms.scopes)],
    ['Items', itemsText(terms, facts.categories)],
    ['Ends', untilText(terms, timeText)],
    [state, `${last === undefined ? '' : timeText(last.at)}, by ${by === 'You' ? 'you' : by}`],
    ['Receipt', receiptId],
  ];
  switch (kind) {
    case 'grant_requested':
      if (grant.status !== 'pending') return null;
      return {
        subject: `${firmName} asks for access to your portfolio`,
        paragraphs: [
          'Nothing is shared unless you approve. You can also approve less than is asked for, or decline; the firm is not told of a decline.',
        ],
        facts: [
          ...firmFacts(facts),
          ['Would see', visibleText(terms.scopes)],
          ['Items', itemsText(terms, facts.categories)],
          ['Would end', untilText(terms, timeText)],
        ],
        action: { label: 'Look at the request', url },
        closing: ['The firm may have written why it asks. You can read it there.'],
      };
    case 'grant_given':
      return {
        subject: `${firmName} has access to your portfolio`,
        paragraphs: [`${by} gave ${firmName} access. This is the receipt.`],
        facts: receipt('Given'),
        action: open,
        closing: [REVOKE],
      };
    case 'grant_changed':
      return {
        subject: `The access of ${firmName} was changed`,
        paragraphs: [`${by} changed what ${firmName} may see. From now on it is this:`],
        facts: receipt('Changed'),
        action: open,
        closing: [REVOKE],
      };
    case 'grant_revoked':
      return {
        subject: `The access of ${firmName} was ended`,
        paragraphs: [
          `${by} ended it${last === undefined ? '' : ` on ${timeText(last.at)}`}. ${firmName} can no longer read anything through it.`,
          'What was read before stays with the firm: ask it if you want that deleted.',
        ],
        facts: [...firmFacts(facts), ['Receipt', receiptId]],
        action: { label: 'See what was read', url: `${origin}/portal/record` },
      };
    case 'grant_ending':
      if (grant.status !== 'active' || grant.expiresAt === null || !isAboutEnd(occurrence, grant.expiresAt))
        return null;
      return {
        subject: `The access of ${firmName} ends soon`,
        paragraphs: [
          `It expires on ${timeText(grant.expiresAt)}. If that is what you want, you need not do anything. You can also extend it, or end it earlier.`,
        ],
        action: open,
      };
    case 'grant_ended':
      if (grant.status !== 'expired' || grant.expiresAt === null) return null;
      return {
        subject: `The access of ${firmName} has ended`,
        paragraphs: [
          `It expired on ${timeText(grant.expiresAt)}. ${firmName} can no longer read anything through it. What was read before stays with the firm.`,
        ],
        action: open,
      };
    case 'grant_first_used':
      if (lastOf(events, 'approve', 'grant') === undefined) return null;
      return {
        subject: `${firmName} has used its access for the first time`,
        paragraphs: [
          `On ${timeText(String(details.at))} it used the access that you gave it. Your access record shows what it has read, then and since.`,
        ],
        action: { label: 'See what was read', url: `${origin}/portal/record` },
      };
    default:
      return null;
  }
}
