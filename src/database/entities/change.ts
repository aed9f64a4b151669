// Database: changes: previous times, removals, deleted ids, and touched subjects.
import { defineEntity, p } from '@mikro-orm/core';
import { P1, P2 } from './tier.ts';

export const ItemChange = defineEntity({
  name: 'ItemChange',
  tableName: 'item_changes',
  properties: {
    id: P2(p.bigint()).primary().autoincrement(),
    clientId: P1(p.text()),
    itemId: P1(p.text()),
    xid: P2(p.text()),
    previousUpdatedAt: P1(p.datetime(3)),
    at: P2(p.datetime(3)),
  },
});

export const Removal = defineEntity({
  name: 'Removal',
  tableName: 'removals',
  properties: {
    id: P2(p.bigint()).primary().autoincrement(),
    clientId: P1(p.text()),
    itemId: P1(p.text()),
    registryId: P1(p.text()),
    kind: P2(p.text()),
    category: P1(p.text()).nullable(),
    collections: P1(p.array()),
    removedAt: P1(p.datetime(3)),
  },
});

export const DeletedId = defineEntity({
  name: 'DeletedId',
  tableName: 'deleted_ids',
  properties: {
    id: P1(p.text()).primary(),
    deletedAt: P2(p.datetime(3)),
  },
});

export const DeletedItem = defineEntity({
  name: 'DeletedItem',
  tableName: 'deleted_items',
  properties: {
    number: P2(p.bigint()).primary(),
    registryId: P1(p.text()),
    clientId: P1(p.text()),
    deletedAt: P2(p.datetime(3)),
  },
});

export const Change = defineEntity({
  name: 'Change',
  tableName: 'changes',
  properties: {
    subject: P1(p.text()).primary(),
    xid: P2(p.text()).primary(),
    at: P2(p.datetime(3)),
  },
});

export const ChangeLog = defineEntity({
  name: 'ChangeLog',
  tableName: 'change_log',
  properties: {
    singleton: P2(p.boolean()).primary(),
    forgotten: P2(p.text()),
    tracking: P2(p.text()),
    interruptedAt: P2(p.datetime(3)).nullable(),
  },
});

export const Revocation = defineEntity({
  name: 'Revocation',
  tableName: 'revocations',
  properties: {
    id: P2(p.uuid()).primary(),
    seq: P2(p.bigint()),
    at: P2(p.datetime(3)),
    tableName: P2(p.text()),
    rowId: P1(p.text()),
    changed: P2(p.array()).nullable(),
    terms: P1(p.json()),
  },
});

export const DatabaseRun = defineEntity({
  name: 'DatabaseRun',
  tableName: 'database_run',
  properties: {
    singleton: P2(p.boolean()).primary(),
    id: P2(p.uuid()),
  },
});

export const ExpectedTrigger = defineEntity({
  name: 'ExpectedTrigger',
  tableName: 'expected_triggers',
  properties: {
    relation: P2(p.text()).primary(),
    name: P2(p.text()).primary(),
    definition: P2(p.text()).nullable(),
  },
});
