// Firm: the acts of the audit record, in words.
import type { ReactNode } from 'react';
import type { FirmEventsQuery } from '../../../generated/operations.ts';
import { roleName } from '../../../session/firm-role.ts';

export type Act = FirmEventsQuery['body']['nodes'][number];

type Details = Record<string, unknown>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The act and its object, with the name at that time. */
const WORDS: Record<string, (name: ReactNode, details: Details) => ReactNode> = {
  member_create: (name, { role }) => (
    <>
      Added {name} as {roleName(text(role)).toLowerCase()}
    </>
  ),
  member_invite: (name, { role }) => (
    <>
      Invited {name} as {roleName(text(role)).toLowerCase()}
    </>
  ),
  member_invitation_withdraw: (name) => <>Withdrew the invitation of {name}</>,
  member_join: (_name, { role }) => `Joined as ${roleName(text(role)).toLowerCase()}`,
  member_role: (name, { to }) => (
    <>
      Made {name} {roleName(text(to)).toLowerCase()}
    </>
  ),
  member_remove: (name) => <>Removed {name}</>,
  factor_reset: (name) => <>Reset the second factor of {name}</>,
  second_factor_requirement: (_name, { required }) =>
    required === true ? 'Required a second factor of every member' : 'Stopped requiring a second factor',
  identity: () => 'Changed the firm’s details that clients see',
  test_client_create: (name) => <>Made {name ?? 'a test client'}</>,
  test_client_delete: (name) => <>Deleted {name ?? 'a test client'}</>,
  limit: (_name, { limit }) =>
    typeof limit === 'number'
      ? `Limited all keys together to ${limit} requests a minute`
      : 'Lifted the limit of all keys',
  key_create: (name) => <>Created the key “{name}”</>,
  key_rotate: (name) => <>Rotated the key “{name}”</>,
  key_revoke: (name) => <>Revoked the key “{name}”</>,
  key_change: (name) => <>Changed the settings of the key “{name}”</>,
  key_tier: (name, { tier }) =>
    text(tier) === '' ? (
      <>Put the key “{name}” on the firm’s tier</>
    ) : (
      <>
        Put the key “{name}” on the tier {text(tier)}
      </>
    ),
  grant_request: (name) => <>Asked for access for the key “{name}”</>,
  grant_withdraw: (name) => <>Withdrew a request for the key “{name}”</>,
  grant_approve: (name) => <>Approved the key “{name}” for a test client</>,
  grant_change: (name) => <>Changed what the key “{name}” sees of a test client</>,
  grant_revoke: (name) => <>Ended the access of the key “{name}” for a test client</>,
};

/** Acts of later releases are shown by their recorded name. */
export function actText({ action, name, details }: Act): ReactNode {
  const named = name ? <bdi>{name}</bdi> : null;
  const words = WORDS[action];
  if (words !== undefined) return words(named, (details ?? {}) as Details);
  return (
    <>
      {action.replaceAll('_', ' ')}
      {named && <>: {named}</>}
    </>
  );
}

/** Further details worth reading; null if there are none. */
export function detailText({ action, details }: Act): string | null {
  const { reason, email, from } = (details ?? {}) as Details;
  if (action === 'factor_reset') return text(reason);
  if (action === 'member_role') return `Was ${roleName(text(from)).toLowerCase()}`;
  return action.startsWith('member_') ? text(email) || null : null;
}

/** The page of the act's object; null if there is none. */
export function subjectPath({ group, subject }: Act): string | null {
  if (subject === null) return null;
  if (group === 'keys') return `/keys/${subject}`;
  return group === 'requests' ? `/access/${subject}` : null;
}
