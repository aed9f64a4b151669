// Database: changes: previous times, removals, deleted ids, and touched subjects.
import { entity, p } from './entity.ts';
import { P1, P2 } from './tier.ts';

export const ItemChange = entity('ItemChange', 'item_changes', {
  id: P2(p.bigint()).primary().autoincrement(),
  clientId: P1(p.text()),
  itemId: P1(p.text()),
  xid: P2(p.text()),
  previousUpdatedAt: P1(p.datetime(3)),
  at: P2(p.datetime(3)),
});

export const Removal = entity('Removal', 'removals', {
  id: P2(p.bigint()).primary().autoincrement(),
  clientId: P1(p.text()),
  itemId: P1(p.text()),
  registryId: P1(p.text()),
  kind: P2(p.text()),
  category: P1(p.text()).nullable(),
  collections: P1(p.array()),
  removedAt: P1(p.datetime(3)),
});

export const DeletedId = entity('DeletedId', 'deleted_ids', {
  id: P1(p.text()).primary(),
  deletedAt: P2(p.datetime(3)),
});

export const DeletedItem = entity('DeletedItem', 'deleted_items', {
  number: P2(p.bigint()).primary(),
  registryId: P1(p.text()),
  clientId: P1(p.text()),
  deletedAt: P2(p.datetime(3)),
});

export const Change = entity('Change', 'changes', {
  subject: P1(p.text()).primary(),
  xid: P2(p.text()).primary(),
  at: P2(p.datetime(3)),
});

export const ChangeLog = entity('ChangeLog', 'change_log', {
  singleton: P2(p.boolean()).primary(),
  forgotten: P2(p.text()),
  tracking: P2(p.text()),
  interruptedAt: P2(p.datetime(3)).nullable(),
});

export const Revocation = entity('Revocation', 'revocations', {
  id: P2(p.uuid()).primary(),
  seq: P2(p.bigint()),
  at: P2(p.datetime(3)),
  tableName: P2(p.text()),
  rowId: P1(p.text()),
  changed: P2(p.array()).nullable(),
  terms: P1(p.json()),
});

export const DatabaseRun = entity('DatabaseRun', 'database_run', {
  singleton: P2(p.boolean()).primary(),
  id: P2(p.uuid()),
});

export const ExpectedTrigger = entity('ExpectedTrigger', 'expected_triggers', {
  relation: P2(p.text()).primary(),
  name: P2(p.text()).primary(),
  definition: P2(p.text()).nullable(),
});
