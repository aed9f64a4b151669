// Schema: a firm's details, as clients see them before they decide, and as its members set them.
import { actorOf, requireFirm, requireUser } from '#gateway/consent/actor.ts';
import { batchLoad } from '#gateway/execution/batch-loaders.ts';
import type { Context } from '#gateway/execution/context.ts';
import { findZone, noteZone } from '#repositories/accounts/person-zones.ts';
import {
  type FirmIdentity as FirmIdentityShape,
  firmIdentities,
  type IdentityChange,
  NO_IDENTITY,
  setFirmIdentity,
} from '#repositories/firm-identities.ts';
import {
  builder,
  type FieldBuilder,
  type ofClient,
  type ofConsent,
  type ofOperations,
  ofPortal,
} from '../../builder.ts';
import { exposing } from '../../exposed.ts';
import { Actor } from './actor.ts';

export const FirmIdentity = builder.objectRef<FirmIdentityShape>('FirmIdentity').implement({
  description: 'Where a firm sits and how it is reached, in its own words. What it has not said is null.',
  fields: exposing('inside', {
    address: ['String?', 'Its postal address, in lines.'],
    website: ['String?', 'Its web site: an https address.'],
    email: ['String?', 'Where clients write to.'],
    phone: ['String?', 'Where clients call.'],
  }),
});

export const FirmIdentityChange = builder.objectRef<IdentityChange>('FirmIdentityChange').implement({
  description: 'A change of what a firm says of itself.',
  fields: exposing('inside', {
    at: ['Timestamp', 'When.'],
    actor: [Actor, 'Who changed it.'],
    parts: ['[String]', 'What is different from then on: address, website, email, phone.'],
  }),
});

export const identityOf = async (context: Context, firmId: string): Promise<FirmIdentityShape> =>
  (await batchLoad(context, firmIdentities, firmId)) ?? NO_IDENTITY;

/** Details of the firm with the id `firmId`. */
export function firmIdentityField<Shape extends { firmId: string }>(
  t: FieldBuilder<Shape>,
  authScopes: typeof ofClient | typeof ofConsent | typeof ofOperations,
) {
  return t.field({
    type: FirmIdentity,
    authScopes,
    description: 'Where the firm sits and how it is reached.',
    resolve: ({ firmId }, _args, context) => identityOf(context, firmId),
  });
}

const PART = 'Not given: as it is. Empty: none.';

builder.mutationField('setFirmIdentity', (t) =>
  t.field({
    type: FirmIdentity,
    authScopes: { firmAdministrator: true },
    description: 'Changes what the firm says of itself; what is different is on record.',
    args: {
      address: t.arg.string({ description: `Up to 500 characters. ${PART}` }),
      website: t.arg.string({ description: `An https address. ${PART}` }),
      email: t.arg.string({ description: PART }),
      phone: t.arg.string({ description: PART }),
    },
    resolve: (_root, { address, website, email, phone }, context) =>
      context.database.transaction((sql) =>
        setFirmIdentity(
          sql,
          requireFirm(context),
          {
            address: address ?? undefined,
            website: website ?? undefined,
            email: email ?? undefined,
            phone: phone ?? undefined,
          },
          actorOf(context.principal),
        ),
      ),
  }),
);

export const zoneOf = (context: Context): Promise<string | null> => findZone(context.database, requireUser(context));

builder.mutationField('noteTimeZone', (t) =>
  t.string({
    authScopes: ofPortal,
    description: 'Notes the time zone in which the person is told times by mail; the answer names it.',
    args: { zone: t.arg.string({ required: true, description: 'A name such as Europe/Zurich.' }) },
    resolve: (_root, { zone }, context) => noteZone(context.database, requireUser(context), zone),
  }),
);
