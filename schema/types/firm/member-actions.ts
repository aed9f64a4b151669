// Schema: administrators' actions on their firm's members. Each returns the whole team afterwards.
import { refuse } from '#core/errors.ts';
import { FIRM_ROLES } from '#core/firm-roles.ts';
import { INVITATION_DAYS } from '#core/periods.ts';
import { MAX_NAME, MAX_REASON } from '#core/text-lengths.ts';
import { actorOf, requireFirm } from '#gateway/consent/actor.ts';
import { limitInvitations } from '#gateway/consent/allowances.ts';
import { oneOf } from '#gateway/consent/portal-arguments.ts';
import type { Context } from '#gateway/execution/context.ts';
import { resetMemberFactors } from '#repositories/accounts/factors.ts';
import { inviteMember, withdrawInvitation } from '#repositories/firms/invitations.ts';
import { removeMember, requireSecondFactor, setFirmRole } from '#repositories/firms/members.ts';
import { builder, ofAdministrator } from '../../builder.ts';
import { ROLE, readTeam, Team } from './member.ts';

/** Common parameters of the actions: the firm and the actor. */
const actOf = (context: Context) => ({ firmId: requireFirm(context), actor: actorOf(context.principal) });

builder.mutationFields((t) => ({
  inviteMember: t.field({
    type: Team,
    authScopes: ofAdministrator,
    description: `Mails an invitation link to this address, valid for ${INVITATION_DAYS} days; voids an earlier one. The response is the same whether or not the address is known.`,
    args: {
      email: t.arg.string({ required: true, description: 'Address with which they will sign in.' }),
      name: t.arg.string({ required: true, description: `The person's name, 1 to ${MAX_NAME} characters.` }),
      role: t.arg.string({ required: true, description: ROLE }),
    },
    resolve: async (_root, { email, name, role }, context) => {
      const { firmId, actor } = actOf(context);
      if (!context.sendsMail)
        refuse('invalid_transition', 'This installation sends no mail. Portico’s staff can add members.');
      const wish = { email, name: name.trim(), role: oneOf('role', FIRM_ROLES, role) };
      await limitInvitations(context.database, firmId);
      await inviteMember(context.database, firmId, wish, actor);
      return readTeam(context);
    },
  }),
  withdrawInvitation: t.field({
    type: Team,
    authScopes: ofAdministrator,
    description: 'Withdraws an invitation, and voids its link.',
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, context) => {
      const { firmId, actor } = actOf(context);
      await withdrawInvitation(context.database, firmId, id, actor);
      return readTeam(context);
    },
  }),
  setMemberRole: t.field({
    type: Team,
    authScopes: ofAdministrator,
    description: "Takes effect at the member's next request. The last administrator keeps the role.",
    args: { id: t.arg.id({ required: true }), role: t.arg.string({ required: true, description: ROLE }) },
    resolve: async (_root, { id, role }, context) => {
      const { firmId, actor } = actOf(context);
      await setFirmRole(context.database, firmId, id, oneOf('role', FIRM_ROLES, role), actor);
      // Without another check, so that a member who has just given up the administrator's role sees the outcome.
      return readTeam(context);
    },
  }),
  removeMember: t.field({
    type: 'Boolean',
    authScopes: ofAdministrator,
    description: 'Ends a membership and its sessions at once. The last administrator cannot be removed.',
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, context) => {
      const { firmId, actor } = actOf(context);
      await removeMember(context.database, firmId, id, actor);
      return true;
    },
  }),
  resetMemberFactors: t.field({
    type: Team,
    authScopes: ofAdministrator,
    description:
      'For another member who has lost their second factor: removes authenticator app, recovery codes and passkeys, and ends all their sessions. People who also have another role at Portico have to ask operations.',
    args: {
      id: t.arg.id({ required: true }),
      reason: t.arg.string({ required: true, description: `1 to ${MAX_REASON} characters, which are recorded.` }),
    },
    resolve: async (_root, { id, reason }, context) => {
      const { firmId, actor } = actOf(context);
      await resetMemberFactors(context.database, { firmId, memberId: id, reason }, actor);
      return readTeam(context);
    },
  }),
  requireSecondFactor: t.field({
    type: Team,
    authScopes: ofAdministrator,
    description: 'Sets whether members need a second factor, from their next request on.',
    args: { required: t.arg.boolean({ required: true, description: 'Whether they need one.' }) },
    resolve: async (_root, { required }, context) => {
      const { firmId, actor } = actOf(context);
      await requireSecondFactor(context.database, firmId, required, actor);
      return readTeam(context);
    },
  }),
}));
