// Gateway: users of the portal: whom a session acts as, read anew for every request, and other account data.
import { verifyPassword } from '#auth/password.ts';
import { Refusal } from '#core/errors.ts';
import type { Database } from '#database/database.ts';
import { inTime, poolForRequests, timedFor } from '#database/for-requests.ts';
import { takeAllowance } from '#repositories/accounts/allowances.ts';
import {
  findPasskey,
  listPasskeys,
  noteSecondFactor,
  type Passkey,
  removePasskey,
  storedPasskeys,
  storePasskey,
  usePasskey,
} from '#repositories/accounts/factors.ts';
import { joinFirm } from '#repositories/accounts/joining.ts';
import {
  changePassword,
  codeWasUsed,
  findAccount,
  type Identity,
  type IdentityFilter,
  identitiesOf,
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
  withdrawLinks,
} from '#repositories/accounts/sessions.ts';
import { requireLogged } from '#repositories/admission/change-log.ts';
import { readPerson } from '#repositories/admission/principals.ts';
import { type OpenInvitation, openInvitation } from '#repositories/firms/invitations.ts';
import { bindDatabase } from '../bind-database.ts';

export type { Identity, IdentityFilter, OpenInvitation, Passkey, PortalAccount, PortalSession };

/** Account functions of the portal. Those of repositories are documented there. */
export type People = ReturnType<typeof createPeople>;

export function createPeople(database: Database) {
  const ask = bindDatabase(database);
  return {
    /** For the sign-in library, which runs its own statements. */
    pool: poolForRequests(database),
    /** Attributes the library's statements to a request. */
    timedFor,
    inTime,
    /**
     * The principal of one of the account's identities, and whether its firm requires a second factor; null where the
     * account may no longer act as that user.
     */
    async admit({ email, userId }: { email: string; userId: string }, filter: IdentityFilter) {
      // Otherwise revocations by this user might be missing from the revocation journal.
      await requireLogged(database);
      const acting = (await identitiesOf(database, email, filter)).find((identity) => identity.userId === userId);
      const principal = acting && (await readPerson(database, userId));
      return acting && principal ? { principal, factorRequired: acting.factorRequired } : null;
    },
    identities: ask(identitiesOf),
    account: ask(findAccount),
    sessions: ask(listSessions),
    endSessions: ask(endSessions),
    endAllSessions: ask(endAllSessions),
    sessionEpoch: ask(sessionEpoch),
    actAs: ask(actAs),
    lastActedAs: ask(lastActedAs),
    withdrawLinks: ask(withdrawLinks),
    codeWasUsed: ask(codeWasUsed),
    useCode: ask(useCode),
    passkeys: ask(listPasskeys),
    storedPasskeys: ask(storedPasskeys),
    findPasskey: ask(findPasskey),
    storePasskey: ask(storePasskey),
    usePasskey: ask(usePasskey),
    async checkPassword(accountId: string, password: string): Promise<boolean> {
      const stored = await passwordOf(database, accountId);
      return stored !== null && verifyPassword(stored, password);
    },
    /** Ends every session except this one. Throws Refusal `wrong_password`, `not_signed_in`. */
    async changePassword(own: OwnSession, given: string, passwordHash: string): Promise<void> {
      const stored = await passwordOf(database, own.accountId);
      if (stored === null || !(await verifyPassword(stored, given))) throw new Refusal('wrong_password');
      await changePassword(database, own, { from: stored, to: passwordHash });
    },
    removePasskey: ask(removePasskey),
    noteSecondFactor: ask(noteSecondFactor),
    openInvitation: ask(openInvitation),
    joinFirm: ask(joinFirm),
    takeAllowance: ask(takeAllowance),
  };
}
