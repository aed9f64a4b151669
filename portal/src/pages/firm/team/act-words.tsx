// Firm: the acts of the audit record, in words.
import type { ReactNode } from 'react';
import { plain, withNames } from '../../../components/names.ts';
import { countText } from '../../../components/numbers.tsx';
import { tierName } from '../../../components/tier.ts';
import type { FirmEventsQuery } from '../../../generated/operations.ts';
import { roleName } from '../../../session/firm-role.ts';

export type Act = FirmEventsQuery['body']['nodes'][number];

type Details = Record<string, unknown>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const roleText = (role: unknown): string => roleName(text(role)).toLowerCase();

/** The act and its object, with the name at that time. */
const WORDS: Record<string, (name: string | null, details: Details) => ReactNode> = {
  member_create: (name, { role }) => withNames`Added ${name} as ${plain(roleText(role))}`,
  member_invite: (name, { role }) => withNames`Invited ${name} as ${plain(roleText(role))}`,
  member_invitation_withdraw: (name) => withNames`Withdrew the invitation of ${name}`,
  member_join: (_name, { role }) => `Joined as ${roleText(role)}`,
  member_role: (name, { to }) => withNames`Made ${name} ${plain(roleText(to))}`,
  member_remove: (name) => withNames`Removed ${name}`,
  factor_reset: (name) => withNames`Reset the second factor of ${name}`,
  second_factor_requirement: (_name, { required }) =>
    required === true ? 'Required a second factor of every member' : 'Stopped requiring a second factor',
  identity: () => 'Changed the firm’s details that clients see',
  test_client_create: (name) => withNames`Made ${name ?? plain('a test client')}`,
  test_client_delete: (name) => withNames`Deleted ${name ?? plain('a test client')}`,
  limit: (_name, { limit }) =>
    typeof limit === 'number'
      ? `Limited all keys together to ${countText(limit)} requests a minute`
      : 'Lifted the limit of all keys',
  key_create: (name) => withNames`Created the key “${name}”`,
  key_rotate: (name) => withNames`Rotated the key “${name}”`,
  key_revoke: (name) => withNames`Revoked the key “${name}”`,
  key_change: (name) => withNames`Changed the settings of the key “${name}”`,
  key_tier: (name, { tier }) =>
    text(tier) === ''
      ? withNames`Put the key “${name}” on the firm’s tier`
      : withNames`Put the key “${name}” on the tier ${plain(tierName(text(tier)))}`,
  grant_request: (name) => withNames`Asked for access for the key “${name}”`,
  grant_withdraw: (name) => withNames`Withdrew a request for the key “${name}”`,
  grant_approve: (name) => withNames`Approved the key “${name}” for a test client`,
  grant_change: (name) => withNames`Changed what the key “${name}” sees of a test client`,
  grant_revoke: (name) => withNames`Ended the access of the key “${name}” for a test client`,
};

/** Acts of later releases are shown by their recorded name. */
export function actText({ action, name, details }: Act): ReactNode {
  const words = WORDS[action];
  if (words !== undefined) return words(name, (details ?? {}) as Details);
  const act = action.replaceAll('_', ' ');
  return name === null ? act : withNames`${plain(act)}: ${name}`;
}

/** Further details worth reading; null if there are none. */
export function detailText({ action, details }: Act): string | null {
  const { reason, email, from } = (details ?? {}) as Details;
  if (action === 'factor_reset') return text(reason);
  if (action === 'member_role') return `Was ${roleText(from)}`;
  return action.startsWith('member_') ? text(email) || null : null;
}

/** The page of the act's object; null if there is none. */
export function subjectPath({ group, subject }: Act): string | null {
  if (subject === null) return null;
  if (group === 'keys') return `/keys/${subject}`;
  return group === 'requests' ? `/access/${subject}` : null;
}
