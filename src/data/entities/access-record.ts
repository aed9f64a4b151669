// Data room: who read what and when.
import { defineEntity, p } from '@mikro-orm/core';
import { P1, P2 } from './tier.ts';

export const AccessRecord = defineEntity({
  name: 'AccessRecord',
  tableName: 'access_records',
  properties: {
    requestId: P2(p.text()).primary(),
    at: P2(p.datetime(3)),
    firmId: P2(p.text()),
    keyId: P2(p.text()),
    clientId: P2(p.text()),
    endpoint: P2(p.text()),
    registryId: P1(p.text()).nullable(),
    scopes: P2(p.smallint()),
    status: P2(p.smallint()),
  },
});
