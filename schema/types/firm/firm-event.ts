// Schema: the record of acts of a firm's members and of operations at the firm.
import { requireFirm } from '#gateway/consent/actor.ts';
import { oneOf } from '#gateway/consent/portal-arguments.ts';
import { BY_TIME_AND_NUMBER, readWalk, toWalkPage, type WalkPage } from '#gateway/paging/keyset-pagination.ts';
import {
  FIRM_EVENT_GROUPS,
  type FirmEvent as FirmEventShape,
  groupOf,
  listFirmEvents,
} from '#repositories/firms/firm-events.ts';
import { builder, ofFirm } from '../../builder.ts';
import { either } from '../../either.ts';
import { exposed, exposing } from '../../exposed.ts';
import { MAX_RECORDS, RECORD_ARGS } from '../access-record/recorded-call.ts';
import { Actor } from '../consent/actor.ts';
import { textOf } from '../keys/key-event.ts';
import { NEXT_CURSOR } from '../portfolio/page.ts';

const FirmEvent = builder.objectRef<FirmEventShape>('FirmEvent').implement({
  description: "An act of the firm's members, or of operations on the firm.",
  fields: (t) => ({
    ...exposed(t, 'firm', {
      id: ['ID', 'Id within the whole record.'],
      at: ['Timestamp', 'When.'],
      actor: [Actor, 'Who did it.'],
      actorId: ['ID?', 'The member who acted; null for others.'],
      action: [
        'String',
        'Such as member_invite, member_join, member_role, member_remove, factor_reset, key_create, key_rotate, key_revoke, grant_request, second_factor_requirement or limit. Later releases add others.',
      ],
      subject: ['ID?', 'The member, invitation, key or grant that the act concerns; null for the firm.'],
      details: ['JSON', 'Further recorded details.'],
    }),
    group: t.string({
      authScopes: ofFirm,
      description: `${either(FIRM_EVENT_GROUPS)}.`,
      resolve: ({ action }) => groupOf(action),
    }),
    name: t.string({
      nullable: true,
      authScopes: ofFirm,
      description: 'The name of the member or of the key, as it was then.',
      resolve: ({ details }) => textOf(details.name),
    }),
  }),
});

const FirmEventConnection = builder.objectRef<WalkPage<FirmEventShape>>('FirmEventConnection').implement({
  description: "A page of the firm's record, newest first.",
  fields: exposing('firm', { nodes: [[FirmEvent], 'The acts of the page.'], ...NEXT_CURSOR }),
});

builder.queryField('firmEvents', (t) =>
  t.field({
    type: FirmEventConnection,
    authScopes: ofFirm,
    description: "Every act of the firm's members, and of operations on the firm.",
    args: {
      group: t.arg.string({ description: `${either(FIRM_EVENT_GROUPS)}; all if not given.` }),
      since: t.arg({ type: 'Timestamp', description: 'From this moment on.' }),
      until: t.arg({ type: 'Timestamp', description: 'Before this moment.' }),
      ...RECORD_ARGS,
    },
    resolve: async (_root, { group, since = null, until = null, ...paging }, context) => {
      const filter = { group: group == null ? null : oneOf('group', FIRM_EVENT_GROUPS, group), since, until };
      const of = { list: 'firmEvents', query: filter, keys: BY_TIME_AND_NUMBER, max: MAX_RECORDS };
      const request = readWalk(paging, of, context);
      const rows = await listFirmEvents(context.database, requireFirm(context), filter, request.walk);
      return toWalkPage(rows, request, ({ at, id }) => [at, id]);
    },
  }),
);
