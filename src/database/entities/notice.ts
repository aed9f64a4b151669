// Database: the outbox of mails, notices that users turned off, and their time zones.
import { entity, p } from './entity.ts';
import { P1, P2 } from './tier.ts';

export const Notice = entity('Notice', 'notices', {
  id: P2(p.bigint()).primary().autoincrement(),
  kind: P2(p.text()),
  recipient: P2(p.text()),
  subject: P2(p.text()),
  occurrence: P2(p.text()),
  details: P1(p.json()),
  createdAt: P2(p.datetime(3)),
  dueAt: P2(p.datetime(3)),
  attempts: P2(p.integer()),
  endedAt: P2(p.datetime(3)).nullable(),
  outcome: P2(p.text()).nullable(),
});

export const MutedTopic = entity('MutedTopic', 'muted_topics', {
  userId: P2(p.text()).primary(),
  topic: P2(p.text()).primary(),
  mutedAt: P2(p.datetime(3)),
});

export const PersonZone = entity('PersonZone', 'person_zones', {
  userId: P2(p.text()).primary(),
  zone: P1(p.text()),
  notedAt: P2(p.datetime(3)),
});

export const NoticeLook = entity('NoticeLook', 'notice_looks', {
  singleton: P2(p.boolean()).primary(),
  beganAt: P2(p.datetime(3)),
  lookedAt: P2(p.datetime(3)),
});
