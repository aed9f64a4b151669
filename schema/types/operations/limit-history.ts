// Schema: the effect of limits in the last hour and day, and the state of all processes of the deployment.
import { NEAR_PERCENT } from '#core/near-limit.ts';
import { TIERS } from '#core/tiers.ts';
import { oneOf } from '#gateway/consent/portal-arguments.ts';
import { type GatewayProcess as GatewayProcessShape, listProcesses } from '#repositories/gateway-processes.ts';
import { LIMIT_SPANS, type LimitHistory as LimitHistoryShape, limitHistory } from '#repositories/keys/limit-sums.ts';
import { builder, ofOperations } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

const COUNTS = {
  admitted: ['Int', 'Calls that no limit refused.'],
  refused: ['Int', 'Calls that a limit refused.'],
  near: ['Int', `Admitted calls at which at least ${NEAR_PERCENT} % of the key's or the firm's limit was used.`],
  letPass: ['Int', 'Admitted calls that a limit in shadow mode would have refused.'],
} as const;

const LimitBar = builder.objectRef<LimitHistoryShape['bars'][number]>('LimitBar').implement({
  description: 'Results of limits in the time of one bar.',
  fields: exposing('operations', { at: ['Timestamp', 'Start of the bar.'], ...COUNTS }),
});

const TierSums = builder.objectRef<LimitHistoryShape['tiers'][number]>('TierSums').implement({
  description: 'Results of the limits of keys of a tier.',
  fields: exposing('operations', { tier: ['String'], ...COUNTS }),
});

const KeySums = builder.objectRef<LimitHistoryShape['keys'][number]>('KeySums').implement({
  description: 'Results of the limits of a key.',
  fields: exposing('operations', {
    keyId: ['ID'],
    name: ['String'],
    firmName: ['String'],
    environment: ['String'],
    ...COUNTS,
  }),
});

const LimitHistory = builder.objectRef<LimitHistoryShape>('LimitHistory').implement({
  description: 'Results of limits on all gateways, each of which saves its counts every few seconds.',
  fields: exposing('operations', {
    seconds: ['Int', 'Width of a bar in seconds.'],
    bars: [[LimitBar], 'Oldest first; the last one is still in progress.'],
    tiers: [[TierSums], 'By the tier of the key at the time of the call.'],
    keys: [[KeySums], 'Those with most refusals first, at most 50.'],
    keyCount: ['Int', 'Number of keys with calls.'],
  }),
});

builder.queryField('limitHistory', (t) =>
  t.field({
    type: LimitHistory,
    authScopes: ofOperations,
    extensions: { cost: 50 },
    description:
      'Calls admitted and refused by limits in the last hour, by minutes, or in the last day, by quarters of an hour.',
    args: {
      span: t.arg.string({ required: true, description: 'hour or day.' }),
      tier: t.arg.string({ description: 'Only calls of keys that had this tier.' }),
      keyId: t.arg.id({ description: 'Of one key.' }),
    },
    resolve: (_root, { span, tier, keyId }, { database }) =>
      limitHistory(database, oneOf('span', LIMIT_SPANS, span), {
        tier: tier == null ? null : oneOf('tier', TIERS, tier),
        keyId: keyId ?? null,
      }),
  }),
);

const GatewayProcess = builder.objectRef<GatewayProcessShape>('GatewayProcess').implement({
  description: 'A serving process, as of its last report.',
  fields: exposing('operations', {
    id: ['ID'],
    host: ['String', "The machine's name and the process's id."],
    seenAt: ['Timestamp', 'Time of the report.'],
    startedAt: ['Timestamp', 'When it started.'],
    silent: [
      'Boolean',
      'Whether its reports are overdue without a report of its end: it was killed, or cannot reach the database.',
    ],
    limiter: [
      'String',
      'Where it counts for limits: redis, local (Redis is unavailable), recovering, or standalone (no Redis).',
    ],
    limiterSince: ['Timestamp', 'Since when it is in this state.'],
    limiterReason: ['String?', 'Why Redis is unusable; null if it is usable.'],
    recordsWaiting: ['Int', 'Number of access records that it has not saved yet.'],
    replicasAway: ['Int', 'Number of replicas from which it does not read, because they lag or are unavailable.'],
  }),
});

builder.queryField('gatewayProcesses', (t) =>
  t.field({
    type: [GatewayProcess],
    authScopes: ofOperations,
    extensions: { cost: 20 },
    description: 'All processes that serve this deployment, and those whose reports stopped within the last hour.',
    resolve: (_root, _args, { database }) => listProcesses(database),
  }),
);
