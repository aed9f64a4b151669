// Database: valuations of items.
import { defineEntity, p } from '@mikro-orm/core';
import { P1 } from './tier.ts';

export const Valuation = defineEntity({
  name: 'Valuation',
  tableName: 'valuations',
  properties: {
    id: P1(p.text()).primary(),
    itemId: P1(p.text()),
    source: P1(p.text()),
    amount: P1(p.decimal()),
    currency: P1(p.text()),
    valuedAt: P1(p.datetime(3)),
    appraiser: P1(p.text()).nullable(),
    createdAt: P1(p.datetime(3)),
  },
});
