// Core: notices by mail, and their topics. Users choose which topics they receive, except for required ones.

interface TopicRule {
  /** Who receives the topic; null: everybody. */
  role: 'client' | 'firm_member' | null;
  /** Cannot be turned off: concerns the account itself, or what a client has agreed to. */
  required: boolean;
}

/** In display order. */
export const TOPICS = {
  requests: { role: 'client', required: false },
  receipts: { role: 'client', required: true },
  ending: { role: 'client', required: false },
  first_use: { role: 'client', required: false },
  answers: { role: 'firm_member', required: false },
  firm_ending: { role: 'firm_member', required: false },
  keys: { role: 'firm_member', required: false },
  limits: { role: 'firm_member', required: false },
  security: { role: null, required: true },
} as const satisfies Record<string, TopicRule>;

export type Topic = keyof typeof TOPICS;

/** Topic of each kind of notice. Triggers (Migration0022Notifications) write some of them. */
export const NOTICE_KINDS = {
  grant_requested: 'requests',
  grant_given: 'receipts',
  grant_changed: 'receipts',
  grant_revoked: 'receipts',
  grant_ending: 'ending',
  grant_ended: 'ending',
  grant_first_used: 'first_use',
  firm_grant_given: 'answers',
  firm_grant_changed: 'answers',
  firm_grant_revoked: 'answers',
  firm_grants_ending: 'firm_ending',
  firm_key_ending: 'keys',
  firm_limit_near: 'limits',
  firm_limit_refused: 'limits',
  signed_in: 'security',
  password_changed: 'security',
  second_factor_on: 'security',
  second_factor_off: 'security',
  recovery_codes_changed: 'security',
  email_changed: 'security',
  passkey_added: 'security',
  passkey_removed: 'security',
  member_invited: 'security',
} as const satisfies Record<string, Topic>;

export type NoticeKind = keyof typeof NOTICE_KINDS;

export const isTopic = (value: string): value is Topic => Object.hasOwn(TOPICS, value);

/** The topics available to this role. */
export function topicsOf(role: string): Topic[] {
  return (Object.keys(TOPICS) as Topic[]).filter((topic) => {
    const { role: of } = TOPICS[topic];
    return of === null || of === role;
  });
}
