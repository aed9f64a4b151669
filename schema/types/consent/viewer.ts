// Schema: the signed-in user, and settings of the portal.
import { FIRM_ROLES } from '#core/firm-roles.ts';
import { ENVIRONMENTS } from '#core/principal.ts';
import { FIRM_TIERS, TIER_LIMITS, TIERS } from '#core/tiers.ts';
import { requireUser } from '#gateway/consent/actor.ts';
import { batchLoad } from '#gateway/execution/batch-loaders.ts';
import { firmLoad } from '#gateway/operations/usage.ts';
import { findZone, noteZone } from '#repositories/accounts/person-zones.ts';
import { requireViewer, type ViewerRecord } from '#repositories/accounts/viewers.ts';
import { identityChanges } from '#repositories/firm-identities.ts';
import { FIRM_PLANS } from '#repositories/firms.ts';
import { USER_ROLES } from '#repositories/users.ts';
import { builder, ofPortal } from '../../builder.ts';
import { either } from '../../either.ts';
import { exposed, exposing } from '../../exposed.ts';
import { LimitUsage } from '../keys/limit-usage.ts';
import { FirmIdentity, FirmIdentityChange, identityOf } from './firm-identity.ts';

const Firm = builder.objectRef<NonNullable<ViewerRecord['firm']>>('Firm').implement({
  description: 'A firm with its contract.',
  fields: (t) => ({
    ...exposed(t, 'portal', {
      id: ['ID', 'The firm: `frm_` and a ULID.'],
      name: ['String', 'Name of the firm.'],
      plan: ['String', `${either(FIRM_PLANS)}.`],
      planActive: ['Boolean', 'Whether the plan is enterprise and active, so that keys can be created and used.'],
      tier: ['String', `Tier of the firm's production keys: ${either(FIRM_TIERS)}.`],
    }),
    limit: t.field({
      type: LimitUsage,
      nullable: true,
      authScopes: ofPortal,
      description: 'The limit of all its keys together, which applies in addition to their own; null if there is none.',
      resolve: ({ id, requestLimit }, _args, { limiter }) =>
        requestLimit === null ? null : firmLoad(limiter, id, requestLimit),
    }),
    identity: t.field({
      type: FirmIdentity,
      authScopes: ofPortal,
      description: 'Its address and contact details.',
      resolve: ({ id }, _args, context) => identityOf(context, id),
    }),
    identityHistory: t.field({
      type: [FirmIdentityChange],
      authScopes: ofPortal,
      description: 'All changes of these details, newest first.',
      resolve: async ({ id }, _args, context) => (await batchLoad(context, identityChanges, id)) ?? [],
    }),
  }),
});

const TierLimit = builder.objectRef<{ tier: string; limit: number }>('TierLimit').implement({
  description: 'A tier with its limit.',
  fields: exposing('portal', {
    tier: ['String', `${either(TIERS)}.`],
    limit: ['Int', 'Requests in any 60 seconds.'],
  }),
});

const Viewer = builder.objectRef<ViewerRecord>('Viewer').implement({
  description: 'The signed-in user, with the settings that apply to them.',
  fields: (t) => ({
    ...exposed(t, 'portal', {
      userId: ['ID', 'The user: `usr_` and a ULID.'],
      name: ['String', "The person's name."],
      email: ['String', "The person's e-mail address."],
      role: ['String', `${either(USER_ROLES)}.`],
      firmRole: ['String?', `For firm members: ${either(FIRM_ROLES)}.`],
      environment: ['String?', `For clients: ${either(ENVIRONMENTS)}.`],
      firm: [Firm, 'For firm members.', { nullable: true }],
    }),
    timeZone: t.string({
      nullable: true,
      authScopes: ofPortal,
      description: 'Time zone of mails to them, such as Europe/Zurich; null if not known yet, so that mails use UTC.',
      resolve: (_viewer, _args, context) => findZone(context.database, requireUser(context)),
    }),
    apiBaseUrl: t.string({
      nullable: true,
      authScopes: ofPortal,
      description: "Base URL of the API, without a path; null if it is the portal's origin.",
      resolve: (_viewer, _args, { apiBaseUrl }) => apiBaseUrl,
    }),
    apiVersion: t.string({
      authScopes: ofPortal,
      description: 'Date of the newest version, for X-Service-Version.',
      resolve: (_viewer, _args, { versions }) => versions.at(-1) ?? '',
    }),
    maxKeyLifetimeDays: t.int({
      nullable: true,
      authScopes: ofPortal,
      description:
        'Maximum lifetime in days of a key when its expiry is set; null if there is none, and keys need no expiry.',
      resolve: (_viewer, _args, { keyBounds }) => keyBounds.lifetimeDays,
    }),
    tiers: t.field({
      type: [TierLimit],
      authScopes: ofPortal,
      description: 'All tiers, smallest first.',
      resolve: () => TIERS.map((tier) => ({ tier, limit: TIER_LIMITS[tier] })),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    authScopes: ofPortal,
    description: 'The signed-in user.',
    resolve: (_root, _args, context) => requireViewer(context.database, requireUser(context)),
  }),
);

builder.mutationField('noteTimeZone', (t) =>
  t.string({
    authScopes: ofPortal,
    description: "Sets the time zone of the times in the person's mails, and returns it.",
    args: { zone: t.arg.string({ required: true, description: 'A name such as Europe/Zurich.' }) },
    resolve: (_root, { zone }, context) => noteZone(context.database, requireUser(context), zone),
  }),
);
