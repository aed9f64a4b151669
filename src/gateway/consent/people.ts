// Gateway: people of the portal: whom a session acts as, read afresh for every request, and what else of accounts
// the portal asks for.
import { verifyPassword } from '#auth/password.ts';
import { Refusal } from '#core/errors.ts';
import type { Principal } from '#core/principal.ts';
import type { Database } from '#database/database.ts';
import { inTime, type LibraryPool, poolForRequests, timedFor } from '#database/for-requests.ts';
import { type Allowance, takeAllowance } from '#repositories/accounts/allowances.ts';
import {
  findPasskey,
  listPasskeys,
  type NewPasskey,
  noteSecondFactor,
  type Passkey,
  removePasskey,
  type StoredPasskey,
  storedPasskeys,
  storePasskey,
  usePasskey,
} from '#repositories/accounts/factors.ts';
import { type Joining, joinFirm } from '#repositories/accounts/joining.ts';
import {
  changePassword,
  codeWasUsed,
  findAccount,
  type Identity,
  type IdentityFilter,
  identitiesOf,
  mayActAs,
  type PortalAccount,
  passwordOf,
  sessionEpoch,
  useCode,
} from '#repositories/accounts/people.ts';
import {
  actAs,
  endAllSessions,
  endSessions,
  lastActedAs,
  listSessions,
  type OwnSession,
  type PortalSession,
  type SessionOwner,
  withdrawLinks,
} from '#repositories/accounts/sessions.ts';
import { readPerson } from '#repositories/admission/principals.ts';
import { type OpenInvitation, openInvitation } from '#repositories/firms/invitations.ts';

export type {
  Identity,
  IdentityFilter,
  LibraryPool,
  OpenInvitation,
  OwnSession,
  Passkey,
  PortalAccount,
  PortalSession,
  SessionOwner,
};

export interface Admitted {
  principal: Principal;
  /** By the firm whose member the person is here. */
  factorRequired: boolean;
}

export interface People {
  /** For the sign-in library, which brings its own statements. */
  pool: LibraryPool;
  /** What the library does then is the request's whose times these are. */
  timedFor: typeof timedFor;
  inTime: typeof inTime;
  /** Whom the account acts as; null once it may not any more. */
  admit(who: { accountId: string; userId: string }, filter: IdentityFilter): Promise<Admitted | null>;
  /** `email` in lower case. */
  identities(email: string, filter: IdentityFilter): Promise<Identity[]>;
  account(id: string): Promise<PortalAccount | null>;
  sessions(owner: SessionOwner): Promise<PortalSession[]>;
  /** Ends one session, or all where `id` is null; says how many there were. */
  endSessions(owner: SessionOwner, id: string | null): Promise<number>;
  /** Ends all sessions of the account and whatever waits to be confirmed; says how many sessions there were. */
  endAllSessions(accountId: string): Promise<number>;
  /** Raised by what ends all sessions of an account. `email` in any case; null where it has none. */
  sessionEpoch(email: string): Promise<number | null>;
  actAs(sessionId: string, userId: string): Promise<void>;
  lastActedAs(accountId: string, userIds: readonly string[]): Promise<string | null>;
  withdrawLinks(accountId: string): Promise<void>;
  codeWasUsed(accountId: string, code: string): Promise<boolean>;
  /** Marks a code of a second factor as used; false where it was. */
  useCode(accountId: string, code: string): Promise<boolean>;
  passkeys(accountId: string): Promise<Passkey[]>;
  storedPasskeys(accountId: string): Promise<StoredPasskey[]>;
  findPasskey(credentialId: string): ReturnType<typeof findPasskey>;
  /** False where somebody has it already, or the session has ended. */
  storePasskey(sessionId: string, passkey: NewPasskey): Promise<boolean>;
  /** False where it was removed meanwhile, or is a copy of an earlier state. */
  usePasskey(id: string, counter: number): Promise<boolean>;
  checkPassword(accountId: string, password: string): Promise<boolean>;
  /** Ends every session but this one. Throws Refusal `wrong_password`, `not_signed_in`. */
  changePassword(own: OwnSession, given: string, passwordHash: string): Promise<void>;
  /** Ends every session but this one. Throws Refusal `resource_not_found`, `not_signed_in`. */
  removePasskey(own: OwnSession, id: string): Promise<void>;
  /** The session counts as one that began with a second factor. */
  noteSecondFactor(sessionId: string): Promise<void>;
  openInvitation(token: string): Promise<OpenInvitation | null>;
  /** Throws Refusal `invalid_link`, `already_exists`. */
  joinFirm(joining: Joining): Promise<void>;
  /** Throws Refusal `rate_limit_exceeded`. */
  takeAllowance(subject: string, allowance: Allowance, message: string): Promise<void>;
}

export function createPeople(database: Database): People {
  return {
    pool: poolForRequests(database),
    timedFor,
    inTime,
    async admit(who, filter) {
      const acting = await mayActAs(database, who, filter);
      const principal = acting === null ? null : await readPerson(database, who.userId);
      return acting === null || principal === null ? null : { principal, factorRequired: acting.factorRequired };
    },
    identities: (email, filter) => identitiesOf(database, email, filter),
    account: (id) => findAccount(database, id),
    sessions: (owner) => listSessions(database, owner),
    endSessions: (owner, id) => endSessions(database, owner, id),
    endAllSessions: (accountId) => endAllSessions(database, accountId),
    sessionEpoch: (email) => sessionEpoch(database, email),
    actAs: (sessionId, userId) => actAs(database, sessionId, userId),
    lastActedAs: (accountId, userIds) => lastActedAs(database, accountId, userIds),
    withdrawLinks: (accountId) => withdrawLinks(database, accountId),
    codeWasUsed: (accountId, code) => codeWasUsed(database, accountId, code),
    useCode: (accountId, code) => useCode(database, accountId, code),
    passkeys: (accountId) => listPasskeys(database, accountId),
    storedPasskeys: (accountId) => storedPasskeys(database, accountId),
    findPasskey: (credentialId) => findPasskey(database, credentialId),
    storePasskey: (sessionId, passkey) => storePasskey(database, sessionId, passkey),
    usePasskey: (id, counter) => usePasskey(database, id, counter),
    async checkPassword(accountId, password) {
      const stored = await passwordOf(database, accountId);
      return stored !== null && verifyPassword(stored, password);
    },
    async changePassword(own, given, passwordHash) {
      const stored = await passwordOf(database, own.accountId);
      if (stored === null || !(await verifyPassword(stored, given))) throw new Refusal('wrong_password');
      await changePassword(database, own, { from: stored, to: passwordHash });
    },
    removePasskey: (own, id) => removePasskey(database, own, id),
    noteSecondFactor: (sessionId) => noteSecondFactor(database, sessionId),
    openInvitation: (token) => openInvitation(database, token),
    joinFirm: (joining) => joinFirm(database, joining),
    takeAllowance: (subject, allowance, message) => takeAllowance(database, subject, allowance, message),
  };
}
