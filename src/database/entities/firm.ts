// Database: firms, their plan and their tier.
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
