// Database: the changes of limits' shadow mode.
import { defineEntity, p } from '@mikro-orm/core';
import { P2 } from './tier.ts';

export const LimitShadow = defineEntity({
  name: 'LimitShadow',
  tableName: 'limit_shadows',
  properties: {
    id: P2(p.bigint()).primary().autoincrement(),
    tier: P2(p.text()).nullable(),
    lineageId: P2(p.text()).nullable(),
    shadowed: P2(p.boolean()),
    at: P2(p.datetime(3)),
    actor: P2(p.text()),
    reason: P2(p.text()),
  },
});
