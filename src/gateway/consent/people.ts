// Gateway: people of the portal: whom a session acts as, read afresh for every request, and what else of accounts
// the portal asks for.
import type { Principal } from '#core/principal.ts';
import type { Database } from '#database/database.ts';
import { type LibraryPool, poolForRequests } from '#database/for-requests.ts';
import { type Allowance, takeAllowance } from '#repositories/accounts/allowances.ts';
import {
  codeWasUsed,
  findAccount,
  type Identity,
  type IdentityFilter,
  identitiesOf,
  mayActAs,
  type PortalAccount,
  useCode,
} from '#repositories/accounts/people.ts';
import {
  actAs,
  endOtherSessions,
  endSessions,
  lastActedAs,
  listSessions,
  type PortalSession,
  type SessionOwner,
  withdrawLinks,
} from '#repositories/accounts/sessions.ts';
import { readPerson } from '#repositories/admission/principals.ts';

export type { Identity, IdentityFilter, LibraryPool, PortalAccount, PortalSession, SessionOwner };

export interface People {
  /** For the sign-in library, which brings its own statements. */
  pool: LibraryPool;
  /** Whom the account acts as; null once it may not any more. */
  admit(who: { accountId: string; userId: string }, filter: IdentityFilter): Promise<Principal | null>;
  /** `email` in lower case. */
  identities(email: string, filter: IdentityFilter): Promise<Identity[]>;
  account(id: string): Promise<PortalAccount | null>;
  sessions(owner: SessionOwner): Promise<PortalSession[]>;
  /** Ends one session, or all where `id` is null; says how many there were. */
  endSessions(owner: SessionOwner, id: string | null): Promise<number>;
  endOtherSessions(owner: SessionOwner, kept: string): Promise<void>;
  actAs(sessionId: string, userId: string): Promise<void>;
  lastActedAs(accountId: string, userIds: readonly string[]): Promise<string | null>;
  withdrawLinks(accountId: string): Promise<void>;
  codeWasUsed(accountId: string, code: string): Promise<boolean>;
  /** Marks a code of a second factor as used; false where it was. */
  useCode(accountId: string, code: string): Promise<boolean>;
  /** Throws Refusal `rate_limit_exceeded`. */
  takeAllowance(subject: string, allowance: Allowance, message: string): Promise<void>;
}

export function createPeople(database: Database): People {
  return {
    pool: poolForRequests(database),
    admit: async (who, filter) => ((await mayActAs(database, who, filter)) ? readPerson(database, who.userId) : null),
    identities: (email, filter) => identitiesOf(database, email, filter),
    account: (id) => findAccount(database, id),
    sessions: (owner) => listSessions(database, owner),
    endSessions: (owner, id) => endSessions(database, owner, id),
    endOtherSessions: (owner, kept) => endOtherSessions(database, owner, kept),
    actAs: (sessionId, userId) => actAs(database, sessionId, userId),
    lastActedAs: (accountId, userIds) => lastActedAs(database, accountId, userIds),
    withdrawLinks: (accountId) => withdrawLinks(database, accountId),
    codeWasUsed: (accountId, code) => codeWasUsed(database, accountId, code),
    useCode: (accountId, code) => useCode(database, accountId, code),
    takeAllowance: (subject, allowance, message) => takeAllowance(database, subject, allowance, message),
  };
}
