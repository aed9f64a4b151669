// Database: firms: plan, tier, limit and identity, their event record, and their invitations.
import { entity, p } from './entity.ts';
import { P0, P1, P2 } from './tier.ts';

export const Firm = entity('Firm', 'firms', {
  id: P2(p.text()).primary(),
  name: P2(p.text()),
  plan: P2(p.text()),
  planActive: P2(p.boolean()),
  tier: P2(p.text()),
  requestLimit: P2(p.integer()).nullable(),
  secondFactorRequired: P2(p.boolean()),
  createdAt: P2(p.datetime(3)),
  updatedAt: P2(p.datetime(3)),
});

export const FirmIdentity = entity('FirmIdentity', 'firm_identities', {
  firmId: P2(p.text()).primary(),
  address: P2(p.text()).nullable(),
  website: P2(p.text()).nullable(),
  email: P2(p.text()).nullable(),
  phone: P2(p.text()).nullable(),
  updatedAt: P2(p.datetime(3)),
});

export const FirmEvent = entity('FirmEvent', 'firm_events', {
  id: P2(p.bigint()).primary().autoincrement(),
  firmId: P2(p.text()),
  at: P2(p.datetime(3)),
  actor: P2(p.text()),
  action: P2(p.text()),
  subject: P2(p.text()).nullable(),
  details: P1(p.json()),
  source: P2(p.text()).nullable(),
});

export const FirmInvitation = entity('FirmInvitation', 'firm_invitations', {
  id: P2(p.text()).primary(),
  firmId: P2(p.text()),
  email: P1(p.text()),
  name: P1(p.text()),
  role: P2(p.text()),
  invitedBy: P2(p.text()),
  linkHash: P0(p.blob()).nullable(),
  createdAt: P2(p.datetime(3)),
  expiresAt: P2(p.datetime(3)),
  endedAt: P2(p.datetime(3)).nullable(),
  outcome: P2(p.text()).nullable(),
});
