// Database: the plant store: accounts, their tokens and their plants.
import { defineEntity, p } from '@mikro-orm/core';
import { P0, P1, P2 } from './tier.ts';

export const PlantAccount = defineEntity({
  name: 'PlantAccount',
  tableName: 'plant_accounts',
  properties: {
    id: P2(p.text()).primary(),
    createdAt: P2(p.datetime(3)),
  },
});

export const PlantToken = defineEntity({
  name: 'PlantToken',
  tableName: 'plant_tokens',
  properties: {
    id: P2(p.text()).primary(),
    accountId: P2(p.text()),
    tokenHash: P0(p.blob()),
    createdAt: P2(p.datetime(3)),
    expiresAt: P2(p.datetime(3)).nullable(),
    revokedAt: P2(p.datetime(3)).nullable(),
  },
});

export const Plant = defineEntity({
  name: 'Plant',
  tableName: 'plants',
  properties: {
    accountId: P2(p.text()).primary(),
    id: P1(p.bigint()).primary(),
    seq: P2(p.bigint()),
    name: P1(p.text()),
    tag: P1(p.text()).nullable(),
    createdAt: P2(p.datetime(3)),
  },
});
