// Schema: the members of the viewer's firm, its invitations, and its requirements for members.
import { FIRM_ROLE_MEANINGS, FIRM_ROLES } from '#core/firm-roles.ts';
import { requireFirm, requireUser } from '#gateway/consent/actor.ts';
import type { Context } from '#gateway/execution/context.ts';
import { type Invitation as InvitationShape, listInvitations } from '#repositories/firms/invitations.ts';
import { type FirmMember as FirmMemberShape, findFirmSettings, listMembers } from '#repositories/firms/members.ts';
import { builder, ofFirm } from '../../builder.ts';
import { exposed, exposing } from '../../exposed.ts';
import { Actor } from '../consent/actor.ts';

export const ROLE = 'administrator, developer or auditor.';

const FirmMember = builder.objectRef<FirmMemberShape>('FirmMember').implement({
  description: "A member of the viewer's firm.",
  fields: (t) => ({
    ...exposed(t, 'firm', {
      id: ['ID', 'The member: `usr_` and a ULID.'],
      name: ['String', "The person's name."],
      email: ['String', 'Address with which they sign in.'],
      role: ['String', ROLE],
      createdAt: ['Timestamp', 'Since when.'],
      lastSeenAt: [
        'Timestamp?',
        'Last use of one of their open sessions, exact to a quarter of an hour; null if there is none.',
      ],
      authenticatorApp: ['Boolean', 'Whether sign-in asks for a code after the password.'],
      passkeys: ['Int', 'Number of their passkeys.'],
    }),
    self: t.boolean({
      authScopes: ofFirm,
      description: 'Whether it is the viewer.',
      resolve: ({ id }, _args, context) => id === requireUser(context),
    }),
  }),
});

const FirmInvitation = builder.objectRef<InvitationShape>('FirmInvitation').implement({
  description: 'An open invitation of the firm.',
  fields: exposing('firm', {
    id: ['ID', 'The invitation: `inv_` and a ULID.'],
    email: ['String', 'Address to which the link was sent.'],
    name: ['String', 'As the administrator wrote it.'],
    role: ['String', ROLE],
    inviter: [Actor, 'Who invited them.'],
    createdAt: ['Timestamp', 'When.'],
    expiresAt: ['Timestamp', 'When it expires.'],
    expired: ['Boolean', 'Whether it has expired.'],
  }),
});

const FirmRole = builder.objectRef<{ role: string; meaning: string }>('FirmRole').implement({
  description: 'A role of members, with its permissions.',
  fields: exposing('firm', {
    role: ['String', ROLE],
    meaning: ['String', 'In plain words.'],
  }),
});

interface TeamShape {
  members: FirmMemberShape[];
  invitations: InvitationShape[];
  secondFactorRequired: boolean;
}

export const Team = builder.objectRef<TeamShape>('Team').implement({
  description: "The team of the viewer's firm.",
  fields: (t) => ({
    ...exposed(t, 'firm', {
      members: [[FirmMember], 'Administrators first.'],
      invitations: [[FirmInvitation], 'Open invitations, newest first.'],
      secondFactorRequired: ['Boolean', 'Whether the firm requires a second factor of its members.'],
    }),
    roles: t.field({
      type: [FirmRole],
      authScopes: ofFirm,
      description: 'All roles, from most to fewest permissions.',
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
    description: "The members of the viewer's firm, and its open invitations.",
    resolve: (_root, _args, context) => readTeam(context),
  }),
);
