// Database: tokens of internal tools.
import { defineEntity, p } from '@mikro-orm/core';
import { P0, P2 } from './tier.ts';

export const ServiceToken = defineEntity({
  name: 'ServiceToken',
  tableName: 'service_tokens',
  properties: {
    id: P2(p.text()).primary(),
    role: P2(p.text()),
    tokenHash: P0(p.blob()),
    createdAt: P2(p.datetime(3)),
    expiresAt: P2(p.datetime(3)).nullable(),
    revokedAt: P2(p.datetime(3)).nullable(),
  },
});
