// Portal: the mail of a notice, composed when it is sent from what its reader may see at that time.
import { hash } from 'node:crypto';
import { NOTICE_KINDS, TOPICS, type Topic } from '#core/notices.ts';
import type { Addressee, Notice, Notices } from '#gateway/notices/notices.ts';
import type { Envelope } from '../mail.ts';
import { membershipMail, securityMail } from '../mails/account-mails.ts';
import { clientMail } from '../mails/client-mails.ts';
import { answerMail, expiringMail, keyMail } from '../mails/firm-mails.ts';
import { type Content, type Mail, writeLetter } from '../mails/letter.ts';
import { type MailParts, timeTextIn } from '../mails/words.ts';

/** The parts of the portal that mails need. */
export interface Postmark {
  origin: string;
  /** Address at which this person unsubscribes from the topic. */
  unsubscribeUrl(userId: string, topic: Topic): string;
}

interface Composed {
  to: string;
  mail: Mail;
  envelope: Envelope;
}

/** Why the topic cannot be muted. */
const ALWAYS: Partial<Record<Topic, string>> = {
  security: 'Mails that protect your account cannot be turned off.',
  receipts: 'Receipts of what you agreed to cannot be turned off.',
};

const INVITED = 'You get this mail because the firm entered your address. You get no others unless you accept.';

/** Null if nobody is to be notified: the topic is muted, the person is gone, or may not see the subject any more. */
export async function compose(notices: Notices, notice: Notice, postmark: Postmark): Promise<Composed | null> {
  const { kind } = notice;
  const topic = NOTICE_KINDS[kind];
  const addressee = await notices.addressee(notice, topic);
  const parts = { origin: postmark.origin, timeText: timeTextIn(addressee?.zone ?? null) };
  const content = addressee === null ? null : await contentOf(notices, notice, addressee, parts);
  if (addressee === null || content === null) return null;
  const { user, email, name } = addressee;
  const optional = user !== null && !TOPICS[topic].required;
  const unsubscribe = optional ? postmark.unsubscribeUrl(user.id, topic) : null;
  const footer =
    unsubscribe === null
      ? { text: kind === 'member_invited' ? INVITED : (ALWAYS[topic] ?? '') }
      : {
          text: 'You get such mails because you have an account with Portico.',
          link: { label: 'Stop these mails', url: unsubscribe },
        };
  return {
    to: email,
    mail: writeLetter({ ...content, name, footer }),
    envelope: {
      messageId: messageIdOf(notice, content.action?.url, postmark.origin),
      // The standard requires https; mail programs ignore other addresses.
      ...(unsubscribe?.startsWith('https:') ? { unsubscribe } : {}),
    },
  };
}

/**
 * Derived from the unique values of the notice, so that a repeated mail, even from a restored database, has the same
 * id. Except for invitations: each attempt has a new link, and a program that drops duplicates could keep the mail with
 * the void one.
 */
function messageIdOf(
  { recipient, kind, subject, occurrence }: Notice,
  link: string | undefined,
  origin: string,
): string {
  const unique = [recipient, kind, subject, occurrence, ...(kind === 'member_invited' ? [link] : [])];
  const name = hash('sha256', JSON.stringify(unique), 'hex').slice(0, 40);
  return `<${name}@${new URL(origin).hostname}>`;
}

async function contentOf(
  notices: Notices,
  notice: Notice,
  { user }: Addressee,
  parts: MailParts,
): Promise<Content | null> {
  const { kind, subject, occurrence, details } = notice;
  if (kind === 'member_invited') {
    const invitation = await notices.invitation(subject);
    return invitation === null ? null : membershipMail(invitation, parts);
  }
  if (NOTICE_KINDS[kind] === 'security') return securityMail(notice, parts);
  if (user === null) return null;
  if (kind === 'firm_grants_ending')
    return expiringMail(await notices.expiringGrants(user.id, String(details.day)), notice, parts);
  if (kind === 'firm_key_ending' || kind === 'firm_limit_near' || kind === 'firm_limit_refused') {
    const key = await notices.key(user, subject, kind !== 'firm_key_ending');
    return key === null ? null : keyMail(kind, key, notice, parts);
  }
  const ofEvent = /^(?:firm_)?grant_(?:requested|given|changed|revoked)$/.test(kind);
  const facts = await notices.grant(user, subject, ofEvent ? Number(occurrence) : null);
  if (facts === null) return null;
  return kind.startsWith('firm_') ? answerMail(kind, facts, parts) : clientMail(kind, facts, notice, parts);
}
