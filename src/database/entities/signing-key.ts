// Database: the keys that sign consent receipts.
import { defineEntity, p } from '@mikro-orm/core';
import { P0, P2 } from './tier.ts';

export const SigningKey = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_keys',
  properties: {
    id: P2(p.text()).primary(),
    publicKey: P2(p.json()),
    privateKey: P0(p.json()).nullable(),
    createdAt: P2(p.datetime(3)),
    retiredAt: P2(p.datetime(3)).nullable(),
  },
});
