// Gateway: the outbox of mails, for its sender.
import type { Topic } from '#core/notices.ts';
import type { Database } from '#database/database.ts';
import { linkInvitation } from '#repositories/firms/invitations.ts';
import { findDue } from '#repositories/notices/due.ts';
import * as facts from '#repositories/notices/facts.ts';
import * as noticed from '#repositories/notices/noticed.ts';
import * as outbox from '#repositories/notices/outbox.ts';
import { setMuted } from '#repositories/notices/preferences.ts';
import { bindDatabase } from '../bind-database.ts';

export type { InvitationLink } from '#repositories/firms/invitations.ts';
export type { Addressee, ExpiringGrants, GrantFacts } from '#repositories/notices/facts.ts';
export type { NearLimit } from '#repositories/notices/noticed.ts';
export type { Notice, NoticeOutcome, OutboxState } from '#repositories/notices/outbox.ts';
export { LEASE_SECONDS, MAX_DELAY_SECONDS } from '#repositories/notices/outbox.ts';

/** Functions of repositories are documented there. */
export type Notices = ReturnType<typeof createNotices>;

export function createNotices(database: Database) {
  const ask = bindDatabase(database);
  return {
    findDue: ask(findDue),
    take: ask(outbox.takeNotice),
    end: ask(outbox.endNotice),
    delay: ask(outbox.delayNotice),
    state: ask(outbox.outboxState),
    addressee: ask(facts.addresseeOf),
    grant: ask(facts.grantFacts),
    expiringGrants: ask(facts.expiringGrants),
    key: ask(facts.keyFacts),
    invitation: ask(linkInvitation),
    mute: (userId: string, topic: Topic) => setMuted(database, { userId, topic }, true),
    notifyFirstUses: ask(noticed.notifyFirstUses),
    notifyNearLimits: ask(noticed.notifyNearLimits),
  };
}
