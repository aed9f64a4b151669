// Schema: a firm's details, as clients see them before they decide, and as its members set them.
import { MAX_ADDRESS, MAX_PHONE, MAX_WEBSITE } from '#core/text-lengths.ts';
import { actorOf, requireFirm } from '#gateway/consent/actor.ts';
import { batchLoad } from '#gateway/execution/batch-loaders.ts';
import type { Context } from '#gateway/execution/context.ts';
import {
  type FirmIdentity as FirmIdentityShape,
  firmIdentities,
  type IdentityChange,
  NO_IDENTITY,
  setFirmIdentity,
} from '#repositories/firm-identities.ts';
import { builder, type FieldBuilder, type ofClient, type ofConsent, type ofOperations } from '../../builder.ts';
import { exposing } from '../../exposed.ts';
import { Actor } from './actor.ts';

export const FirmIdentity = builder.objectRef<FirmIdentityShape>('FirmIdentity').implement({
  description: 'Address and contact details of a firm, as stated by the firm. Unstated ones are null.',
  fields: exposing('inside', {
    address: ['String?', 'Postal address, in several lines.'],
    website: ['String?', 'Web site, an https address.'],
    email: ['String?', 'E-mail address for clients.'],
    phone: ['String?', 'Telephone number for clients.'],
  }),
});

export const FirmIdentityChange = builder.objectRef<IdentityChange>('FirmIdentityChange').implement({
  description: "A change of a firm's details.",
  fields: exposing('inside', {
    at: ['Timestamp', 'When.'],
    actor: [Actor, 'Who changed it.'],
    parts: ['[String]', 'The changed parts: address, website, email, phone.'],
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
    description: 'Address and contact details of the firm.',
    resolve: ({ firmId }, _args, context) => identityOf(context, firmId),
  });
}

const PART = 'Unchanged if not given; removed if empty.';

builder.mutationField('setFirmIdentity', (t) =>
  t.field({
    type: FirmIdentity,
    authScopes: { firmAdministrator: true },
    description: "Changes the firm's details. Changes are recorded.",
    args: {
      address: t.arg.string({ description: `Up to ${MAX_ADDRESS} characters. ${PART}` }),
      website: t.arg.string({ description: `An https address of up to ${MAX_WEBSITE} characters. ${PART}` }),
      email: t.arg.string({ description: PART }),
      phone: t.arg.string({ description: `Up to ${MAX_PHONE} characters. ${PART}` }),
    },
    resolve: (_root, given, context) =>
      context.database.transaction((sql) =>
        setFirmIdentity(sql, requireFirm(context), given, actorOf(context.principal)),
      ),
  }),
);
