// Database: erased subjects, and those that must not be erased for now.
import { entity, p } from './entity.ts';
import { P1, P2 } from './tier.ts';

export const ErasedSubject = entity('ErasedSubject', 'erased_subjects', {
  id: P2(p.text()).primary(),
  kind: P2(p.text()),
  erasedAt: P2(p.datetime(3)),
  actor: P2(p.text()),
  reason: P2(p.text()),
  grantsEndAt: P2(p.datetime(3)).nullable(),
  finishedAt: P2(p.datetime(3)).nullable(),
  unarchivedAt: P2(p.datetime(3)).nullable(),
  certificate: P2(p.text()).nullable(),
});

export const LegalHold = entity('LegalHold', 'legal_holds', {
  id: P2(p.bigint()).primary().autoincrement(),
  userId: P2(p.text()),
  reason: P1(p.text()),
  placedBy: P2(p.text()),
  placedAt: P2(p.datetime(3)),
  endsAt: P2(p.datetime(3)).nullable(),
  releasedAt: P2(p.datetime(3)).nullable(),
  releasedBy: P2(p.text()).nullable(),
});
