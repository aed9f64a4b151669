// Gateway: the outbox of mails, for whoever sends them.
import type { Topic } from '#core/notices.ts';
import type { Database } from '#database/database.ts';
import { type InvitationLink, linkInvitation } from '#repositories/firms/invitations.ts';
import { findDue } from '#repositories/notices/due.ts';
import {
  type Addressee,
  addresseeOf,
  type EndingGrants,
  endingGrants,
  type GrantFacts,
  grantFacts,
  keyFacts,
} from '#repositories/notices/facts.ts';
import { type LimitPressure, tellFirstUses, tellLimits } from '#repositories/notices/noticed.ts';
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

export type { Addressee, EndingGrants, GrantFacts, InvitationLink, LimitPressure, Notice, NoticeOutcome, OutboxState };
export { LEASE_SECONDS, MAX_DELAY_SECONDS };

type User = NonNullable<Addressee['user']>;

export interface Notices {
  /** Writes what has come due with time, unless somebody just did. */
  findDue(): Promise<boolean>;
  /** One that is due, for LEASE_SECONDS; null where none is. */
  take(): Promise<Notice | null>;
  end(notice: Notice, outcome: NoticeOutcome): Promise<void>;
  delay(notice: Notice, seconds: number): Promise<void>;
  state(): Promise<OutboxState>;
  addressee(notice: Notice, topic: Topic): Promise<Addressee | null>;
  grant(user: User, grantId: string, event: number | null): Promise<GrantFacts | null>;
  endingGrants(memberId: string, day: string): Promise<EndingGrants>;
  key(user: User, keyId: string, newest: boolean): ReturnType<typeof keyFacts>;
  /** With a new link, which is in no other mail; null where nobody is invited any more. */
  invitation(id: string): Promise<InvitationLink | null>;
  mute(userId: string, topic: Topic): Promise<void>;
  tellFirstUses(uses: readonly { grantId: string; at: string }[]): Promise<void>;
  tellLimits(pressures: readonly LimitPressure[]): Promise<void>;
}

export function createNotices(database: Database): Notices {
  return {
    findDue: () => findDue(database),
    take: () => takeNotice(database),
    end: (notice, outcome) => endNotice(database, notice, outcome),
    delay: (notice, seconds) => delayNotice(database, notice, seconds),
    state: () => outboxState(database),
    addressee: (notice, topic) => addresseeOf(database, notice, topic),
    grant: (user, grantId, event) => grantFacts(database, user, grantId, event),
    endingGrants: (memberId, day) => endingGrants(database, memberId, day),
    key: (user, keyId, newest) => keyFacts(database, user, keyId, newest),
    invitation: (id) => linkInvitation(database, id),
    mute: (userId, topic) => setMuted(database, { userId, topic }, true),
    tellFirstUses: (uses) => tellFirstUses(database, uses),
    tellLimits: (pressures) => tellLimits(database, pressures),
  };
}
