// Database: the keys that sign consent receipts.
import { entity, p } from './entity.ts';
import { P0, P2 } from './tier.ts';

export const SigningKey = entity('SigningKey', 'signing_keys', {
  id: P2(p.text()).primary(),
  publicKey: P2(p.json()),
  privateKey: P0(p.json()).nullable(),
  createdAt: P2(p.datetime(3)),
  retiredAt: P2(p.datetime(3)).nullable(),
});
