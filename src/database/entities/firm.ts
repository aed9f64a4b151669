// Database: firms, their plan, tier and limit, and the record of what happened to them.
import { defineEntity, p } from '@mikro-orm/core';
import { P2 } from './tier.ts';

export const Firm = defineEntity({
  name: 'Firm',
  tableName: 'firms',
  properties: {
    id: P2(p.text()).primary(),
    name: P2(p.text()),
    plan: P2(p.text()),
    planActive: P2(p.boolean()),
    tier: P2(p.text()),
    requestLimit: P2(p.integer()).nullable(),
    createdAt: P2(p.datetime(3)),
    updatedAt: P2(p.datetime(3)),
  },
});

export const FirmEvent = defineEntity({
  name: 'FirmEvent',
  tableName: 'firm_events',
  properties: {
    id: P2(p.bigint()).primary().autoincrement(),
    firmId: P2(p.text()),
    at: P2(p.datetime(3)),
    actor: P2(p.text()),
    action: P2(p.text()),
    details: P2(p.json()),
  },
});
