// Mails: about an account: links to set a password, and changes of its sign-in.
import { FIRM_ROLE_MEANINGS } from '#core/firm-roles.ts';
import { upperFirst } from '#core/first-letter.ts';
import type { NoticeKind } from '#core/notices.ts';
import { INVITATION_DAYS } from '#core/periods.ts';
import type { InvitationLink, Notice } from '#gateway/notices/notices.ts';
import { type Content, type Mail, writeLetter } from './letter.ts';
import type { MailParts } from './words.ts';

export const invitationMail = (name: string, url: string): Mail =>
  writeLetter({
    subject: 'Your access to Portico',
    name,
    paragraphs: [
      'You have been given access to Portico, where estate managers see what their clients let them see.',
      `Choose a password here; the link works once, within ${INVITATION_DAYS} days:`,
    ],
    action: { label: 'Choose a password', url },
    closing: ['If you did not expect this message, you can ignore it.'],
  });

export const resetMail = (name: string, url: string): Mail =>
  writeLetter({
    subject: 'Your password for Portico',
    name,
    paragraphs: [
      'A new password for your account with Portico was requested. Choose it here; the link works once, within an hour:',
    ],
    action: { label: 'Choose a new password', url },
    closing: ['If you did not request it, you can ignore this message: your password does not change.'],
  });

export function membershipMail(
  { firmName, role, expiresAt, token }: InvitationLink,
  { origin, timeText }: MailParts,
): Content {
  const url = `${origin}/portal/join#${token}`;
  return {
    subject: `${firmName} invites you to Portico`,
    paragraphs: [
      `An administrator of ${firmName} invites you to work for it in Portico, where estate managers see what their clients let them see.`,
      'Accept here. The link works once and was sent only to you:',
    ],
    facts: [
      ['Firm', firmName],
      ['Role', `${upperFirst(role)}: ${FIRM_ROLE_MEANINGS[role]}`],
      ['Open until', timeText(expiresAt)],
    ],
    action: { label: 'See the invitation', url },
    closing: ['The invitation says who sent it. If you did not expect this message, you can ignore it.'],
  };
}

const text = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : 'not known');

/** Null for notices that are not about an account. */
export function securityMail({ kind, details, createdAt }: Notice, { origin, timeText }: MailParts): Content | null {
  const at = timeText(createdAt);
  const action = { label: 'Look at your account', url: `${origin}/portal/account` };
  const notYou = 'If it was not you, choose a new password at once, sign out everywhere, and tell us.';
  const changed = (subject: string, sentence: string): Content => ({
    subject,
    paragraphs: [`${sentence} on ${at}.`, notYou],
    action,
  });
  switch (kind satisfies NoticeKind) {
    case 'signed_in':
      return {
        subject: 'Portico was opened on a new device',
        paragraphs: [
          'Somebody signed in to your account on a device, or in a browser, that was not used before.',
          notYou,
        ],
        facts: [
          ['When', at],
          ['Address', text(details.network)],
          ['Browser', text(details.agent)],
          ...(typeof details.provider === 'string' ? [['Through', details.provider] as const] : []),
        ],
        action,
      };
    case 'password_changed':
      return changed('Your password for Portico was set', 'The password of your account was set or changed');
    case 'second_factor_on':
      return changed('The second factor is on', 'The second factor of your account was turned on');
    case 'second_factor_off':
      return changed('The second factor is off', 'The second factor of your account was turned off');
    case 'recovery_codes_changed':
      return changed(
        'Your recovery codes have changed',
        'A recovery code of your account was used, or new ones were made,',
      );
    case 'passkey_added':
      return changed('A passkey was added', `The passkey “${text(details.passkey)}” was added to your account`);
    case 'passkey_removed':
      return changed('A passkey was removed', `The passkey “${text(details.passkey)}” was removed from your account`);
    case 'email_changed':
      return {
        subject: 'Your e-mail address at Portico was changed',
        paragraphs: [
          `On ${at} this address was replaced by another one. From now on mails go there, and this address can no longer be used to sign in to what was moved.`,
          'If this is not right, tell us at once.',
        ],
      };
    default:
      return null;
  }
}
