// Schema: queries for a firm's keys.
import { refuse } from '#core/errors.ts';
import { actorOf } from '#gateway/consent/actor.ts';
import type { Context } from '#gateway/execution/context.ts';
import { loadsOf } from '#gateway/operations/usage.ts';
import { type FirmKey, findFirmKey, listFirmKeys } from '#repositories/keys/key-queries.ts';
import { builder, ofFirm } from '../../builder.ts';
import { ApiKey, type LoadedKey } from './key.ts';

/** The keys with the current use of their limits, read for all of them together. */
async function loaded({ limiter }: Context, keys: readonly FirmKey[]): Promise<LoadedKey[]> {
  const usable = keys.filter(({ status }) => status === 'active');
  const loads = await loadsOf(limiter, usable);
  const byKey = new Map(usable.map(({ id }, index) => [id, loads[index]]));
  return keys.map((key) => ({ ...key, usage: byKey.get(key.id) ?? null }));
}

/** The same for one key. Throws Refusal like `requireKey`. */
export async function loadedKey(context: Context, id: string): Promise<LoadedKey> {
  const key = await requireKey(context, id);
  const [usage = null] = key.status === 'active' ? await loadsOf(context.limiter, [key]) : [];
  return { ...key, usage };
}

/** Throws Refusal `resource_not_found` for an unknown key, and for one that the caller may not access. */
export async function requireKey(context: Context, id: string): Promise<FirmKey> {
  const key = await findFirmKey(context.database, id, actorOf(context.principal));
  if (key === null) refuse('resource_not_found', `There is no key ${id}.`);
  return key;
}

builder.queryFields((t) => ({
  keys: t.field({
    type: [ApiKey],
    authScopes: ofFirm,
    complexity: 50,
    description: 'All keys of the firm, newest first.',
    resolve: async (_root, _args, context) =>
      loaded(context, await listFirmKeys(context.database, actorOf(context.principal))),
  }),
  key: t.field({
    type: ApiKey,
    authScopes: ofFirm,
    description: 'One key of the firm.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => loadedKey(context, id),
  }),
}));
