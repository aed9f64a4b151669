// Gateway: users of the portal: whom a session acts as, read anew for every request, and other account data.
import { verifyPassword } from '#auth/password.ts';
import { Refusal } from '#core/errors.ts';
import type { Database } from '#database/database.ts';
import { inTime, poolForRequests, timedFor } from '#database/for-requests.ts';
import { takeAllowance } from '#repositories/accounts/allowances.ts';
import * as factors from '#repositories/accounts/factors.ts';
import { joinFirm } from '#repositories/accounts/joining.ts';
import * as people from '#repositories/accounts/people.ts';
import * as sessions from '#repositories/accounts/sessions.ts';
import { requireLogged } from '#repositories/admission/change-log.ts';
import { readPerson } from '#repositories/admission/principals.ts';
import { openInvitation } from '#repositories/firms/invitations.ts';
import { bindDatabase } from '../bind-database.ts';

export type { Passkey } from '#repositories/accounts/factors.ts';
export type { Identity, IdentityFilter, PortalAccount } from '#repositories/accounts/people.ts';
export type { PortalSession } from '#repositories/accounts/sessions.ts';
export type { OpenInvitation } from '#repositories/firms/invitations.ts';

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
    async admit({ email, userId }: { email: string; userId: string }, filter: people.IdentityFilter) {
      // Otherwise revocations by this user might be missing from the revocation journal.
      await requireLogged(database);
      const acting = (await people.identitiesOf(database, email, filter)).find(
        (identity) => identity.userId === userId,
      );
      const principal = acting && (await readPerson(database, userId));
      return acting && principal ? { principal, factorRequired: acting.factorRequired } : null;
    },
    identities: ask(people.identitiesOf),
    account: ask(people.findAccount),
    sessions: ask(sessions.listSessions),
    endSessions: ask(sessions.endSessions),
    endAllSessions: ask(sessions.endAllSessions),
    sessionEpoch: ask(people.sessionEpoch),
    actAs: ask(sessions.actAs),
    lastActedAs: ask(sessions.lastActedAs),
    withdrawLinks: ask(sessions.withdrawLinks),
    codeWasUsed: ask(people.codeWasUsed),
    useCode: ask(people.useCode),
    passkeys: ask(factors.listPasskeys),
    storedPasskeys: ask(factors.storedPasskeys),
    findPasskey: ask(factors.findPasskey),
    requireFewPasskeys: factors.requireFewPasskeys,
    storePasskey: ask(factors.storePasskey),
    usePasskey: ask(factors.usePasskey),
    async checkPassword(accountId: string, password: string): Promise<boolean> {
      const stored = await people.passwordOf(database, accountId);
      return stored !== null && verifyPassword(stored, password);
    },
    /** Ends every session except this one. Throws Refusal `wrong_password`, `not_signed_in`. */
    async changePassword(own: sessions.OwnSession, given: string, passwordHash: string): Promise<void> {
      const stored = await people.passwordOf(database, own.accountId);
      if (stored === null || !(await verifyPassword(stored, given))) throw new Refusal('wrong_password');
      await people.changePassword(database, own, { from: stored, to: passwordHash });
    },
    removePasskey: ask(factors.removePasskey),
    noteSecondFactor: ask(factors.noteSecondFactor),
    openInvitation: ask(openInvitation),
    joinFirm: ask(joinFirm),
    takeAllowance: ask(takeAllowance),
  };
}
