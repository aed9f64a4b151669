// Gateway: the outbox of mails, for its sender.
import type { Topic } from '#core/notices.ts';
import type { Database } from '#database/database.ts';
import { type InvitationLink, linkInvitation } from '#repositories/firms/invitations.ts';
import { findDue } from '#repositories/notices/due.ts';
import {
  type Addressee,
  addresseeOf,
  type ExpiringGrants,
  expiringGrants,
  type GrantFacts,
  grantFacts,
  keyFacts,
} from '#repositories/notices/facts.ts';
import { type NearLimit, notifyFirstUses, notifyNearLimits } from '#repositories/notices/noticed.ts';
import {
  delayNotice,
  endNotice,
  LEASE_SECONDS,
  MAX_DELAY_SECONDS,
  type Notice,
  type NoticeOutcome,
  type OutboxState,
  outboxState,
  takeNotice,
} from '#repositories/notices/outbox.ts';
import { setMuted } from '#repositories/notices/preferences.ts';
import { bindDatabase } from '../bind-database.ts';

export type { Addressee, ExpiringGrants, GrantFacts, InvitationLink, NearLimit, Notice, NoticeOutcome, OutboxState };
export { LEASE_SECONDS, MAX_DELAY_SECONDS };

/** Functions of repositories are documented there. */
export type Notices = ReturnType<typeof createNotices>;

export function createNotices(database: Database) {
  const ask = bindDatabase(database);
  return {
    findDue: ask(findDue),
    take: ask(takeNotice),
    end: ask(endNotice),
    delay: ask(delayNotice),
    state: ask(outboxState),
    addressee: ask(addresseeOf),
    grant: ask(grantFacts),
    expiringGrants: ask(expiringGrants),
    key: ask(keyFacts),
    invitation: ask(linkInvitation),
    mute: (userId: string, topic: Topic) => setMuted(database, { userId, topic }, true),
    notifyFirstUses: ask(notifyFirstUses),
    notifyNearLimits: ask(notifyNearLimits),
  };
}
