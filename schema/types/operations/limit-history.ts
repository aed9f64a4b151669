// Schema: the effect of limits in the last hour and day, and the state of all processes of the deployment.
import { oneOf, readTier } from '#gateway/consent/portal-arguments.ts';
import { type KnownProcess, listProcesses } from '#repositories/gateway-processes.ts';
import { LIMIT_SPANS, type LimitHistory as LimitHistoryShape, limitHistory } from '#repositories/keys/limit-sums.ts';
import { builder, ofOperations } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

const COUNTS = {
  admitted: ['Int', 'Calls that no limit refused.'],
  refused: ['Int', 'Calls that a limit refused.'],
  near: ['Int', "Of the admitted: with at least four fifths of the key's limit, or of its firm's, used."],
  letPass: ['Int', 'Of the admitted: what a limit would have refused, were it not in shadow mode.'],
} as const;

const LimitBar = builder.objectRef<LimitHistoryShape['bars'][number]>('LimitBar').implement({
  description: 'What limits did from an instant on, for as long as a bar is wide.',
  fields: exposing('operations', { at: ['Timestamp', 'Its beginning.'], ...COUNTS }),
});

const TierSums = builder.objectRef<LimitHistoryShape['tiers'][number]>('TierSums').implement({
  description: 'What the limits of the keys of a tier did.',
  fields: exposing('operations', { tier: ['String'], ...COUNTS }),
});

const KeySums = builder.objectRef<LimitHistoryShape['keys'][number]>('KeySums').implement({
  description: 'What the limits of a key did.',
  fields: exposing('operations', {
    keyId: ['ID'],
    name: ['String'],
    firmName: ['String'],
    environment: ['String'],
    ...COUNTS,
  }),
});

const LimitHistory = builder.objectRef<LimitHistoryShape>('LimitHistory').implement({
  description: 'What limits did, on all gateways; each saves what it counted every few seconds.',
  fields: exposing('operations', {
    seconds: ['Int', 'How wide a bar is.'],
    bars: [[LimitBar], 'Oldest first; the last one is not over yet.'],
    tiers: [[TierSums], 'By the tier that keys had when they called.'],
    keys: [[KeySums], 'Those with most refusals first, at most 50.'],
    keyCount: ['Int', 'How many keys called.'],
  }),
});

builder.queryField('limitHistory', (t) =>
  t.field({
    type: LimitHistory,
    authScopes: ofOperations,
    complexity: 50,
    description:
      'What limits admitted and refused in the last hour, by minutes, or the last day, by quarters of an hour.',
    args: {
      span: t.arg.string({ required: true, description: 'hour or day.' }),
      tier: t.arg.string({ description: 'Of keys that had this tier.' }),
      keyId: t.arg.id({ description: 'Of one key.' }),
    },
    resolve: (_root, { span, tier, keyId }, { database }) =>
      limitHistory(database, oneOf('span', LIMIT_SPANS, span), {
        tier: tier == null ? null : readTier(tier),
        keyId: keyId ?? null,
      }),
  }),
);

const GatewayProcess = builder.objectRef<KnownProcess>('GatewayProcess').implement({
  description: 'A process that serves, as it said last that it is.',
  fields: exposing('operations', {
    id: ['ID'],
    host: ['String', "The machine's name and the process's id."],
    seenAt: ['Timestamp', 'When it said so.'],
    startedAt: ['Timestamp', 'When it started.'],
    silent: [
      'Boolean',
      'It has said nothing for longer than it would, and not that it ends: it was killed, or has lost the database.',
    ],
    limiter: ['String', 'Where it keeps limits: redis, local (Redis is away), recovering, or standalone (no Redis).'],
    limiterSince: ['Timestamp', 'Since when it is so.'],
    limiterReason: ['String?', 'What made Redis unusable, while it is.'],
    recordsWaiting: ['Int', 'Access records that it has not saved yet.'],
    replicasAway: ['Int', 'Replicas that it does not read from, because they are behind or away.'],
  }),
});

builder.queryField('gatewayProcesses', (t) =>
  t.field({
    type: [GatewayProcess],
    authScopes: ofOperations,
    complexity: 20,
    description: 'Every process that serves this deployment, and those that went silent within the last hour.',
    resolve: (_root, _args, { database }) => listProcesses(database),
  }),
);
