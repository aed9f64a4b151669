// Database: who read what and when, and how often by day.
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
    errorCode: P2(p.text()).nullable(),
    related: P2(p.boolean()),
    toolRole: P2(p.text()).nullable(),
    toolId: P2(p.text()).nullable(),
    items: P1(p.blob()).nullable(),
    removed: P1(p.blob()).nullable(),
    disclosed: P2(p.smallint()).nullable(),
    includes: P2(p.smallint()).nullable(),
    version: P2(p.date()).nullable(),
  },
});

export const AccessDay = defineEntity({
  name: 'AccessDay',
  tableName: 'access_days',
  properties: {
    firmId: P2(p.text()).primary(),
    day: P2(p.date()).primary(),
    keyId: P2(p.text()).primary(),
    endpoint: P2(p.text()).primary(),
    status: P2(p.smallint()).primary(),
    errorCode: P2(p.text()).primary(),
    calls: P2(p.integer()),
  },
});
