// Schema: the members of the viewer's firm, those whom it has invited, and what it requires of them.
import { FIRM_ROLE_MEANINGS, FIRM_ROLES } from '#core/firm-roles.ts';
import { requireFirm, requireUser } from '#gateway/consent/actor.ts';
import type { Context } from '#gateway/execution/context.ts';
import { type Invitation as InvitationShape, listInvitations } from '#repositories/firms/invitations.ts';
import { type FirmMember as FirmMemberShape, findFirmSettings, listMembers } from '#repositories/firms/members.ts';
import { builder, ofFirm } from '../../builder.ts';
import { Actor } from '../consent/actor.ts';

export const ROLE = 'administrator, developer or auditor.';

export const FirmMember = builder.objectRef<FirmMemberShape>('FirmMember').implement({
  description: "A member of the viewer's firm.",
  fields: (t) => ({
    id: t.expose('id', { type: 'ID', authScopes: ofFirm, description: 'The member: `usr_` and a ULID.' }),
    name: t.exposeString('name', { authScopes: ofFirm, description: "The person's name." }),
    email: t.exposeString('email', { authScopes: ofFirm, description: 'By which they sign in.' }),
    role: t.exposeString('role', { authScopes: ofFirm, description: ROLE }),
    self: t.boolean({
      authScopes: ofFirm,
      description: 'Whether it is the viewer.',
      resolve: ({ id }, _args, context) => id === requireUser(context),
    }),
    createdAt: t.expose('createdAt', { type: 'Timestamp', authScopes: ofFirm, description: 'Since when.' }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'Timestamp',
      nullable: true,
      authScopes: ofFirm,
      description: 'When they last used a session that is still open, to a quarter of an hour; null: none is.',
    }),
    authenticatorApp: t.exposeBoolean('authenticatorApp', {
      authScopes: ofFirm,
      description: 'Whether a code is asked for after their password.',
    }),
    passkeys: t.exposeInt('passkeys', { authScopes: ofFirm, description: 'How many passkeys they have.' }),
  }),
});

export const FirmInvitation = builder.objectRef<InvitationShape>('FirmInvitation').implement({
  description: 'Somebody whom the firm has invited, and who has not answered.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ID', authScopes: ofFirm, description: 'The invitation: `inv_` and a ULID.' }),
    email: t.exposeString('email', { authScopes: ofFirm, description: 'Where the link was sent.' }),
    name: t.exposeString('name', { authScopes: ofFirm, description: 'As the administrator wrote it.' }),
    role: t.exposeString('role', { authScopes: ofFirm, description: ROLE }),
    inviter: t.expose('inviter', { type: Actor, authScopes: ofFirm, description: 'Who invited them.' }),
    createdAt: t.expose('createdAt', { type: 'Timestamp', authScopes: ofFirm, description: 'When.' }),
    expiresAt: t.expose('expiresAt', { type: 'Timestamp', authScopes: ofFirm, description: 'Until when it holds.' }),
    expired: t.exposeBoolean('expired', { authScopes: ofFirm, description: 'Whether that has passed.' }),
  }),
});

const FirmRole = builder.objectRef<{ role: string; meaning: string }>('FirmRole').implement({
  description: 'A role of members, and what it may do.',
  fields: (t) => ({
    role: t.exposeString('role', { authScopes: ofFirm, description: ROLE }),
    meaning: t.exposeString('meaning', { authScopes: ofFirm, description: 'In plain words.' }),
  }),
});

interface TeamShape {
  members: FirmMemberShape[];
  invitations: InvitationShape[];
  secondFactorRequired: boolean;
}

export const Team = builder.objectRef<TeamShape>('Team').implement({
  description: "The people of the viewer's firm.",
  fields: (t) => ({
    members: t.expose('members', { type: [FirmMember], authScopes: ofFirm, description: 'Administrators first.' }),
    invitations: t.expose('invitations', {
      type: [FirmInvitation],
      authScopes: ofFirm,
      description: 'Those that nobody has answered, newest first.',
    }),
    secondFactorRequired: t.exposeBoolean('secondFactorRequired', {
      authScopes: ofFirm,
      description: 'Whether the firm requires a second factor of its members.',
    }),
    roles: t.field({
      type: [FirmRole],
      authScopes: ofFirm,
      description: 'All, from most to least.',
      resolve: () => FIRM_ROLES.map((role) => ({ role, meaning: FIRM_ROLE_MEANINGS[role] })),
    }),
    sendsMail: t.boolean({
      authScopes: ofFirm,
      description: 'Whether invitations can be sent.',
      resolve: (_team, _args, { sendsMail }) => sendsMail,
    }),
  }),
});

export async function readTeam(context: Context): Promise<TeamShape> {
  const firmId = requireFirm(context);
  const { database } = context;
  const [members, invitations, settings] = await Promise.all([
    listMembers(database, firmId),
    listInvitations(database, firmId),
    findFirmSettings(database, firmId),
  ]);
  return { members, invitations, ...settings };
}

builder.queryField('team', (t) =>
  t.field({
    type: Team,
    authScopes: ofFirm,
    complexity: 50,
    description: "The members of the viewer's firm, and those whom it has invited.",
    resolve: (_root, _args, context) => readTeam(context),
  }),
);
