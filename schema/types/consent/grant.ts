// Schema: grants as seen by both sides of the consent.
import { MAX_COUNTED_CALLS } from '#core/counted-calls.ts';
import { EXPIRING_DAYS } from '#core/periods.ts';
import { ENVIRONMENTS } from '#core/principal.ts';
import { type GrantView, viewGrantEvents } from '#gateway/consent/grant-view.ts';
import { signedReceiptOf } from '#gateway/consent/receipt-signature.ts';
import { batchLoad } from '#gateway/execution/batch-loaders.ts';
import type { Context } from '#gateway/execution/context.ts';
import { newestCheckpoint } from '#gateway/ledger/ledger.ts';
import { grantEvents } from '#repositories/grants/grant-events.ts';
import { builder, ofConsent } from '../../builder.ts';
import { either } from '../../either.ts';
import { exposed } from '../../exposed.ts';
import { firmIdentityField } from './firm-identity.ts';
import { GrantEvent } from './grant-event.ts';
import { GrantFilter } from './grant-filter.ts';
import { ConsentReceipt } from './receipt.ts';

const eventsOf = async (context: Context, { id }: GrantView) =>
  viewGrantEvents(context, (await batchLoad(context, grantEvents, id)) ?? []);

export const Grant = builder.objectRef<GrantView>('Grant').implement({
  description: "A client's consent: what a firm's key and its rotations may see, and until when.",
  fields: (t) => ({
    ...exposed(t, 'consent', {
      id: ['ID', 'The grant: `grt_` and a ULID.'],
      status: [
        'String',
        'pending, active, declined, withdrawn, revoked or expired. For firms a declined request stays pending.',
      ],
      firmId: ['ID', 'The firm that it is given to.'],
      firmName: ['String', 'Its name.'],
      keyId: ['ID', 'The newest key of the lineage.'],
      keyName: ['String', 'Its name.'],
      keyStatus: ['String', 'active, expired or revoked: whether the newest key can be used.'],
      environment: ['String', `${either(ENVIRONMENTS)}.`],
      addressee: [
        'String?',
        'Addressee of the request as the firm wrote it; null if the client gave the grant without a request.',
      ],
      clientId: ['ID?', "The client's user id. For firms null until the client has approved."],
      clientName: ['String?', 'Name of the client. For firms null until the client has approved.'],
      clientEmail: ['String?', 'E-mail address of the client. For firms null until the client has approved.'],
      testClient: ['Boolean', 'Whether it is a test client that the firm made.'],
      keyScopes: ['Scopes', 'Names of the scopes of the key, which limit what a grant can show.'],
      scopes: ['Scopes', 'Scope names granted, in the order of the API reference.'],
      filter: [GrantFilter, 'The items that it covers.'],
      purpose: ['String?', 'Purpose stated by the firm.'],
      createdAt: ['Timestamp', 'When it was requested or given.'],
      activatedAt: ['Timestamp?', 'When it became active.'],
      expiresAt: ['Timestamp?', 'When it expires; null if it is valid until revoked.'],
      expiringSoon: ['Boolean', `Whether it is active and expires within ${EXPIRING_DAYS} days.`],
      endedAt: ['Timestamp?', 'When it ended.'],
      lastSeenAt: ['Timestamp?', 'When the key last read data under the grant; null for never.'],
      calls30Days: [
        'Int',
        `Calls with the key about the client in the last 30 days while the grant was active, including refused ones; ${MAX_COUNTED_CALLS + 1} if there are more than ${MAX_COUNTED_CALLS}.`,
      ],
    }),
    firmIdentity: firmIdentityField(t, ofConsent),
    ...exposed(t, 'client', {
      lastEventId: ['ID?', 'The newest of its events, on which a change of the displayed terms is based.'],
    }),
    events: t.field({
      type: [GrantEvent],
      authScopes: ofConsent,
      description: 'All of its events, newest first.',
      resolve: (grant, _args, context) => eventsOf(context, grant),
    }),
    receipt: t.field({
      type: ConsentReceipt,
      nullable: true,
      authScopes: ofConsent,
      description:
        'The receipt for one of its events, as far as the caller may know it; null if there is no such event.',
      args: { eventId: t.arg.id({ required: true, description: 'The step.' }) },
      resolve: async (grant, { eventId }, context) => {
        const events = await eventsOf(context, grant);
        const event = events.find(({ id }) => id === eventId);
        if (event === undefined) return null;
        const signed = await signedReceiptOf(context.database, { grant, event, events }, context.apiBaseUrl);
        return { ...signed, checkpoint: await newestCheckpoint(context.database) };
      },
    }),
  }),
});
