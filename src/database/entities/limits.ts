// Database: changes of shadow mode, overrides of limits, sums of what limits did, and the processes that apply limits.
import { entity, p } from './entity.ts';
import { P2 } from './tier.ts';

export const LimitShadow = entity('LimitShadow', 'limit_shadows', {
  id: P2(p.bigint()).primary().autoincrement(),
  tier: P2(p.text()).nullable(),
  lineageId: P2(p.text()).nullable(),
  shadowed: P2(p.boolean()),
  at: P2(p.datetime(3)),
  actor: P2(p.text()),
  reason: P2(p.text()),
  endsAt: P2(p.datetime(3)).nullable(),
});

export const BriefLimit = entity('BriefLimit', 'brief_limits', {
  id: P2(p.bigint()).primary().autoincrement(),
  lineageId: P2(p.text()).nullable(),
  firmId: P2(p.text()).nullable(),
  tier: P2(p.text()).nullable(),
  perMinute: P2(p.integer()).nullable(),
  endsAt: P2(p.datetime(3)).nullable(),
  at: P2(p.datetime(3)),
});

export const LimitSum = entity('LimitSum', 'limit_sums', {
  seconds: P2(p.smallint()).primary(),
  at: P2(p.datetime(3)).primary(),
  keyId: P2(p.text()).primary(),
  tier: P2(p.text()).primary(),
  admitted: P2(p.integer()),
  refused: P2(p.integer()),
  near: P2(p.integer()),
  letPass: P2(p.integer()),
});

export const GatewayProcess = entity('GatewayProcess', 'gateway_processes', {
  id: P2(p.text()).primary(),
  seenAt: P2(p.datetime(3)),
  startedAt: P2(p.datetime(3)),
  host: P2(p.text()),
  limiter: P2(p.text()),
  limiterSince: P2(p.datetime(3)),
  limiterReason: P2(p.text()).nullable(),
  recordsWaiting: P2(p.integer()),
  replicasAway: P2(p.integer()),
});
