// Database: clients and firm members.
import { entity, p } from './entity.ts';
import { P1, P2 } from './tier.ts';

export const User = entity('User', 'users', {
  id: P2(p.text()).primary(),
  email: P1(p.text()),
  name: P1(p.text()),
  role: P2(p.text()),
  firmId: P2(p.text()).nullable(),
  firmRole: P2(p.text()).nullable(),
  removedAt: P2(p.datetime(3)).nullable(),
  environment: P2(p.text()).nullable(),
  reportingCurrency: P1(p.text()).nullable(),
  testFirmId: P2(p.text()).nullable(),
  deletedAt: P2(p.datetime(3)).nullable(),
  populatedAt: P2(p.datetime(3)).nullable(),
  createdAt: P2(p.datetime(3)),
  updatedAt: P2(p.datetime(3)),
});
