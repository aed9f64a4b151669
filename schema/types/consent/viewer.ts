// Schema: the signed-in user, and settings of the portal.
import { Refusal } from '#core/errors.ts';
import { SCOPE_COUNT, SCOPE_MEANINGS, SCOPES } from '#core/scopes.ts';
import { TIER_LIMITS, TIERS } from '#core/tiers.ts';
import { requireUser } from '#gateway/consent/actor.ts';
import { batchLoad } from '#gateway/execution/batch-loaders.ts';
import { firmLoad, type Load } from '#gateway/operations/usage.ts';
import { findViewer, type ViewerRecord } from '#repositories/accounts/viewers.ts';
import { identityChanges } from '#repositories/firm-identities.ts';
import { builder, ofPortal } from '../../builder.ts';
import { exposed, exposing } from '../../exposed.ts';
import { LOAD } from '../keys/load.ts';
import { FirmIdentity, FirmIdentityChange, identityOf, zoneOf } from './firm-identity.ts';

const FirmLimit = builder.objectRef<Load>('FirmLimit').implement({
  description: 'How much of a limit of all keys of the firm together is in use right now; looking counts nothing.',
  fields: exposing('portal', LOAD),
});

const Firm = builder.objectRef<NonNullable<ViewerRecord['firm']>>('Firm').implement({
  description: 'A firm with its contract.',
  fields: (t) => ({
    ...exposed(t, 'portal', {
      id: ['ID', 'The firm: `frm_` and a ULID.'],
      name: ['String', 'What it is called.'],
      plan: ['String', 'enterprise or none.'],
      planActive: ['Boolean', 'Whether plan is enterprise and active: keys can be made and used.'],
      tier: ['String', "Tier of the firm's production keys: standard, elevated or enterprise."],
    }),
    limit: t.field({
      type: FirmLimit,
      nullable: true,
      authScopes: ofPortal,
      description: 'The limit of all its keys together, which holds besides their own; null where there is none.',
      resolve: ({ id, requestLimit }, _args, { limiter }) =>
        requestLimit === null ? null : firmLoad(limiter, id, requestLimit),
    }),
    identity: t.field({
      type: FirmIdentity,
      authScopes: ofPortal,
      description: 'Where it sits and how it is reached.',
      resolve: ({ id }, _args, context) => identityOf(context, id),
    }),
    identityHistory: t.field({
      type: [FirmIdentityChange],
      authScopes: ofPortal,
      description: 'Every change of that, newest first.',
      resolve: async ({ id }, _args, context) => (await batchLoad(context, identityChanges, id)) ?? [],
    }),
  }),
});

const ScopeMeaning = builder.objectRef<{ name: string; meaning: string }>('ScopeMeaning').implement({
  description: 'A scope, and what it unlocks.',
  fields: exposing('portal', {
    name: ['String', 'As keys and grants name it.'],
    meaning: ['String', 'In plain words.'],
  }),
});

const TierLimit = builder.objectRef<{ tier: string; limit: number }>('TierLimit').implement({
  description: 'A tier, and how many requests it allows.',
  fields: exposing('portal', {
    tier: ['String', 'sandbox, standard, elevated or enterprise.'],
    limit: ['Int', 'Requests in any 60 seconds.'],
  }),
});

const Viewer = builder.objectRef<ViewerRecord>('Viewer').implement({
  description: 'Who is signed in, and what holds for them.',
  fields: (t) => ({
    ...exposed(t, 'portal', {
      userId: ['ID', 'The user: `usr_` and a ULID.'],
      name: ['String', "The person's name."],
      email: ['String', "The person's e-mail address."],
      role: ['String', 'firm_member, client or ops.'],
      firmRole: ['String?', 'Of firm members: administrator, developer or auditor.'],
      environment: ['String?', 'Of clients: sandbox or production.'],
      reportingCurrency: ['String?', 'Of clients: ISO 4217.'],
      firm: [Firm, 'Of firm members.', { nullable: true }],
    }),
    timeZone: t.string({
      nullable: true,
      authScopes: ofPortal,
      description: 'Zone of the times in mails to them, as Europe/Zurich; null: not known yet, mails say UTC.',
      resolve: (_viewer, _args, context) => zoneOf(context),
    }),
    apiBaseUrl: t.string({
      nullable: true,
      authScopes: ofPortal,
      description: 'Where the API is, without a path; null: where the portal is.',
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
      description: 'How many days ahead the expiry of a key may lie when it is set; null: any, and keys need none.',
      resolve: (_viewer, _args, { keyBounds }) => keyBounds.lifetimeDays,
    }),
    scopes: t.field({
      type: [ScopeMeaning],
      authScopes: ofPortal,
      description: `All ${SCOPE_COUNT}, in their order.`,
      resolve: () => SCOPES.map((name) => ({ name, meaning: SCOPE_MEANINGS[name] })),
    }),
    tiers: t.field({
      type: [TierLimit],
      authScopes: ofPortal,
      description: 'All, smallest first.',
      resolve: () => TIERS.map((tier) => ({ tier, limit: TIER_LIMITS[tier] })),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    authScopes: ofPortal,
    description: 'Who is signed in.',
    resolve: async (_root, _args, context) => {
      const viewer = await findViewer(context.database, requireUser(context));
      if (viewer === null) throw new Refusal('resource_not_found');
      return viewer;
    },
  }),
);
