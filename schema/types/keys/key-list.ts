// Schema: queries for a firm's keys.
import { refuse } from '#core/errors.ts';
import { actorOf } from '#gateway/consent/actor.ts';
import type { Context } from '#gateway/execution/context.ts';
import { type FirmKey, findFirmKey, listFirmKeys } from '#repositories/keys/key-queries.ts';
import { builder, ofFirm } from '../../builder.ts';
import { ApiKey } from './key.ts';

/** Throws Refusal `resource_not_found` for an unknown key, and for one that the caller may not access. */
export async function requireKey(context: Context, id: string): Promise<FirmKey> {
  const key = await findFirmKey(context.database, id, actorOf(context.principal));
  return key ?? refuse('resource_not_found', `There is no key ${id}.`);
}

builder.queryFields((t) => ({
  keys: t.field({
    type: [ApiKey],
    authScopes: ofFirm,
    description: 'All keys of the firm, newest first.',
    resolve: (_root, _args, { database, principal }) => listFirmKeys(database, actorOf(principal)),
  }),
  key: t.field({
    type: ApiKey,
    authScopes: ofFirm,
    description: 'One key of the firm.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => requireKey(context, id),
  }),
}));
