// Core: what people are told of by mail, by topic. A topic is what somebody chooses to be told of, or has to be.

interface TopicRule {
  /** Who is told of such things; null: everybody. */
  role: 'client' | 'firm_member' | null;
  /** Cannot be turned off: of what concerns the account itself, and of what a client has agreed to. */
  required: boolean;
}

/** In the order in which they are shown. */
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

/** Kind of a notice → its topic. Triggers (Migration0022Notifications) write some of them. */
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

/** The topics of people in this role. */
export function topicsOf(role: string): Topic[] {
  return (Object.keys(TOPICS) as Topic[]).filter((topic) => {
    const { role: of } = TOPICS[topic];
    return of === null || of === role;
  });
}
