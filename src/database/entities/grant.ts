// Database: grants and their event record.
import { entity, p } from './entity.ts';
import { P1, P2 } from './tier.ts';

export const Grant = entity('Grant', 'grants', {
  id: P2(p.text()).primary(),
  lineageId: P2(p.text()),
  clientId: P2(p.text()).nullable(),
  addressee: P1(p.text()).nullable(),
  untold: P2(p.boolean()),
  status: P2(p.text()),
  scopes: P2(p.smallint()),
  filter: P1(p.json()),
  purpose: P1(p.text()).nullable(),
  createdAt: P2(p.datetime(3)),
  activatedAt: P2(p.datetime(3)).nullable(),
  expiresAt: P2(p.datetime(3)).nullable(),
  endedAt: P2(p.datetime(3)).nullable(),
  viewChangedAt: P2(p.datetime(3)).nullable(),
  updatedAt: P2(p.datetime(3)),
});

export const GrantEvent = entity('GrantEvent', 'grant_events', {
  id: P2(p.bigint()).primary().autoincrement(),
  grantId: P2(p.text()),
  at: P2(p.datetime(3)),
  actor: P2(p.text()),
  action: P2(p.text()),
  details: P1(p.json()),
});
