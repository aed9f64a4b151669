// Database: API keys and their event record.
import { entity, p } from './entity.ts';
import { P0, P2 } from './tier.ts';

export const ApiKey = entity('ApiKey', 'api_keys', {
  id: P2(p.text()).primary(),
  lineageId: P2(p.text()),
  firmId: P2(p.text()),
  name: P2(p.text()),
  note: P2(p.text()).nullable(),
  environment: P2(p.text()),
  scopes: P2(p.smallint()),
  tierOverride: P2(p.text()).nullable(),
  secretHash: P0(p.blob()),
  secretPrefix: P2(p.text()),
  secretLastFour: P2(p.text()),
  createdBy: P2(p.text()),
  createdAt: P2(p.datetime(3)),
  allowedNetworks: P2(p.array()),
  expiresAt: P2(p.datetime(3)).nullable(),
  lastUsedAt: P2(p.datetime(3)).nullable(),
  rotatedTo: P2(p.text()).nullable(),
  revokedAt: P2(p.datetime(3)).nullable(),
  revokedBy: P2(p.text()).nullable(),
});

export const KeyEvent = entity('KeyEvent', 'key_events', {
  id: P2(p.bigint()).primary().autoincrement(),
  keyId: P2(p.text()),
  at: P2(p.datetime(3)),
  actor: P2(p.text()),
  action: P2(p.text()),
  details: P2(p.json()),
});
