// Schema: a firm's API keys.
import DataLoader from 'dataloader';
import { getOrInsert } from '#core/get-or-insert.ts';
import { ENVIRONMENTS } from '#core/principal.ts';
import { TIERS } from '#core/tiers.ts';
import { DAYS, ZONE } from '#gateway/consent/portal-arguments.ts';
import { batchLoad } from '#gateway/execution/batch-loaders.ts';
import type { Context } from '#gateway/execution/context.ts';
import { type Load, loadsOf } from '#gateway/operations/usage.ts';
import {
  type FirmKey,
  type KeyTraffic as KeyTrafficShape,
  keyEvents,
  keyTraffic,
} from '#repositories/keys/key-queries.ts';
import { builder, ofFirm } from '../../builder.ts';
import { either } from '../../either.ts';
import { exposed, exposing } from '../../exposed.ts';
import { Actor } from '../consent/actor.ts';
import { KeyEvent } from './key-event.ts';
import { KeyUse, useOf } from './key-use.ts';
import { LimitUsage } from './limit-usage.ts';

const KeyTraffic = builder.objectRef<KeyTrafficShape>('KeyTraffic').implement({
  description: 'Recent calls with a key, including refused ones, to a quarter of an hour.',
  fields: exposing('firm', {
    last24Hours: ['Float', 'Calls in the last 24 hours.'],
    last7Days: ['Float', 'Calls in the last 7 days.'],
    lastCallAt: ['Timestamp?', 'When it was last used; null if not in the last 7 days.'],
  }),
});

const loads = new WeakMap<Context, DataLoader<FirmKey, Load>>();

/** The use of the key's limit, read together with that of the request's other keys. */
function loadOf(context: Context, key: FirmKey): Promise<Load> {
  return getOrInsert(loads, context, () => new DataLoader((keys) => loadsOf(context.limiter, keys))).load(key);
}

function statusOf({ status, rotatedTo }: FirmKey): string {
  return rotatedTo !== null && status !== 'revoked' ? 'rotated' : status;
}

export const ApiKey = builder.objectRef<FirmKey>('ApiKey').implement({
  description:
    "An API key of the viewer's firm, without its secret. A key and its rotations are a lineage: grants and the rate limit belong to it.",
  fields: (t) => ({
    ...exposed(t, 'firm', {
      id: ['ID', 'The key: `key_` and a ULID.'],
      name: ['String', 'Given by the firm.'],
      note: ['String?', "For the firm's own members; clients do not see it."],
      environment: ['String', `${either(ENVIRONMENTS)}.`],
      prefix: ['String', 'First characters of the secret, e.g. `sk_live_4fT2`.'],
      lastFour: ['String', 'Last four characters of the secret.'],
      tier: ['String', `${either(TIERS)}.`],
      activeGrants: ['Int', 'Number of clients with an active grant to the lineage.'],
      pendingGrants: ['Int', 'Number of pending requests for access.'],
      createdAt: ['Timestamp', 'When it was created.'],
      expiresAt: ['Timestamp?', 'When it expires; null for never.'],
      allowedNetworks: ['[String]', 'CIDR ranges from which it may be used; empty for anywhere.'],
      lastUsedAt: ['Timestamp?', 'When it was last used; null for never.'],
      rotatedTo: ['ID?', 'Its successor; this key works until it expires.'],
      revokedAt: ['Timestamp?', 'When it was revoked.'],
      scopes: ['Scopes', 'Scope names, in the order of the API reference.'],
      maker: [Actor, 'Who made it.', { as: 'createdBy' }],
      revoker: [Actor, 'Who revoked it.', { as: 'revokedBy', nullable: true }],
    }),
    status: t.string({
      authScopes: ofFirm,
      description: 'active, rotated (a successor exists; works until expiresAt), expired or revoked.',
      resolve: statusOf,
    }),
    usable: t.boolean({
      authScopes: ofFirm,
      description: 'Whether the API accepts it now.',
      resolve: ({ status }) => status === 'active',
    }),
    usage: t.field({
      type: LimitUsage,
      nullable: true,
      authScopes: ofFirm,
      description: 'The present use of its limit; null if the key is not usable.',
      resolve: (key, _args, context) => (key.status === 'active' ? loadOf(context, key) : null),
    }),
    traffic: t.field({
      type: KeyTraffic,
      authScopes: ofFirm,
      description: 'Recent calls.',
      resolve: async ({ id }, _args, context) =>
        (await batchLoad(context, keyTraffic, id)) ?? { last24Hours: 0, last7Days: 0, lastCallAt: null },
    }),
    use: t.field({
      type: KeyUse,
      authScopes: ofFirm,
      description: 'Its use by day and endpoint.',
      args: { days: t.arg.int({ description: DAYS }), zone: t.arg.string({ description: ZONE }) },
      resolve: (key, wanted, context) => useOf(context, key, wanted),
    }),
    events: t.field({
      type: [KeyEvent],
      authScopes: ofFirm,
      description: "All events of the lineage's keys, newest first.",
      resolve: async ({ id }, _args, context) => (await batchLoad(context, keyEvents, id)) ?? [],
    }),
  }),
});
