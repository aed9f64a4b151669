// Database: the plant store: accounts, their tokens and their plants.
import { entity, p } from './entity.ts';
import { P0, P1, P2 } from './tier.ts';

export const PlantAccount = entity('PlantAccount', 'plant_accounts', {
  id: P2(p.text()).primary(),
  createdAt: P2(p.datetime(3)),
});

export const PlantToken = entity('PlantToken', 'plant_tokens', {
  id: P2(p.text()).primary(),
  accountId: P2(p.text()),
  tokenHash: P0(p.blob()),
  createdAt: P2(p.datetime(3)),
  expiresAt: P2(p.datetime(3)).nullable(),
  revokedAt: P2(p.datetime(3)).nullable(),
});

export const Plant = entity('Plant', 'plants', {
  accountId: P2(p.text()).primary(),
  id: P1(p.bigint()).primary(),
  seq: P2(p.bigint()),
  name: P1(p.text()),
  tag: P1(p.text()).nullable(),
  createdAt: P2(p.datetime(3)),
});
