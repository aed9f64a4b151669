// Database: tokens of internal tools.
import { entity, p } from './entity.ts';
import { P0, P2 } from './tier.ts';

export const ServiceToken = entity('ServiceToken', 'service_tokens', {
  id: P2(p.text()).primary(),
  role: P2(p.text()),
  tokenHash: P0(p.blob()),
  createdAt: P2(p.datetime(3)),
  expiresAt: P2(p.datetime(3)).nullable(),
  revokedAt: P2(p.datetime(3)).nullable(),
});
