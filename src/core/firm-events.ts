// Core: the acts recorded for a firm: by its members, and by operations on the firm.

/** The groups by which the firm's record can be filtered. */
export const FIRM_EVENT_GROUPS = ['members', 'keys', 'requests', 'settings'] as const;
export type FirmEventGroup = (typeof FIRM_EVENT_GROUPS)[number];

/** Acts written to the firm's record directly. Triggers add those on keys and grants (Migration0029Teams). */
export const FIRM_ACTS = {
  member_create: 'members',
  member_invite: 'members',
  member_invitation_withdraw: 'members',
  member_join: 'members',
  member_role: 'members',
  member_remove: 'members',
  factor_reset: 'members',
  second_factor_requirement: 'settings',
  limit: 'settings',
  identity: 'settings',
  test_client_create: 'settings',
  test_client_delete: 'settings',
} as const satisfies Record<string, FirmEventGroup>;

export type FirmAct = keyof typeof FIRM_ACTS;

/** The group of an act. An unknown act, written by a newer release, counts as a setting. */
export function groupOf(action: string): FirmEventGroup {
  if (action.startsWith('key_')) return 'keys';
  if (action.startsWith('grant_')) return 'requests';
  return Object.hasOwn(FIRM_ACTS, action) ? FIRM_ACTS[action as FirmAct] : 'settings';
}
