// Database: the ledger: the queue of entries to append, positions of entries, salted hashes and the tree over them.
import { defineEntity, p } from '@mikro-orm/core';
import { P0, P2 } from './tier.ts';

/** One row: the head of the log. */
export const Ledger = defineEntity({
  name: 'Ledger',
  tableName: 'ledger',
  properties: {
    single: P2(p.boolean()).primary(),
    origin: P2(p.text()),
    size: P2(p.bigint()),
    root: P2(p.blob()),
    checkpoint: P2(p.text()).nullable(),
    appendedAt: P2(p.datetime(3)).nullable(),
  },
});

export const LedgerPending = defineEntity({
  name: 'LedgerPending',
  tableName: 'ledger_pending',
  properties: {
    number: P2(p.bigint()).primary(),
    subjects: P2(p.array()).nullable(),
    digests: P0(p.blob()).nullable(),
    source: P2(p.text()).nullable(),
    event: P2(p.bigint()).nullable(),
    at: P2(p.datetime(3)),
  },
});

export const LedgerBatch = defineEntity({
  name: 'LedgerBatch',
  tableName: 'ledger_batches',
  properties: {
    number: P2(p.bigint()).primary(),
    first: P2(p.bigint()),
    entries: P2(p.integer()),
    numbers: P2(p.blob()),
    at: P2(p.datetime(3)),
  },
});

export const LedgerStep = defineEntity({
  name: 'LedgerStep',
  tableName: 'ledger_steps',
  properties: {
    source: P2(p.text()).primary(),
    event: P2(p.bigint()).primary(),
    leaf: P2(p.bigint()),
    number: P2(p.bigint()),
  },
});

export const LedgerSubject = defineEntity({
  name: 'LedgerSubject',
  tableName: 'ledger_subjects',
  properties: {
    subject: P2(p.text()).primary(),
    secret: P0(p.blob()).nullable(),
    entries: P2(p.bigint()),
  },
});

export const LedgerBundle = defineEntity({
  name: 'LedgerBundle',
  tableName: 'ledger_bundles',
  properties: {
    index: P2(p.bigint()).primary(),
    commitments: P2(p.blob()),
  },
});

export const LedgerTile = defineEntity({
  name: 'LedgerTile',
  tableName: 'ledger_tiles',
  properties: {
    level: P2(p.smallint()).primary(),
    index: P2(p.bigint()).primary(),
    hashes: P2(p.blob()),
  },
});

export const LedgerErasure = defineEntity({
  name: 'LedgerErasure',
  tableName: 'ledger_erasures',
  properties: {
    id: P2(p.bigint()).primary(),
    at: P2(p.datetime(3)),
    leaves: P2(p.blob()),
  },
});

export const LedgerBegin = defineEntity({
  name: 'LedgerBegin',
  tableName: 'ledger_begin',
  properties: {
    source: P2(p.text()).primary(),
    event: P2(p.bigint()),
  },
});

export const LedgerWitness = defineEntity({
  name: 'LedgerWitness',
  tableName: 'ledger_witnesses',
  properties: {
    witness: P2(p.text()).primary(),
    size: P2(p.bigint()),
    askedAt: P2(p.datetime(3)),
    cosignedAt: P2(p.datetime(3)).nullable(),
  },
});

export const LedgerPublication = defineEntity({
  name: 'LedgerPublication',
  tableName: 'ledger_publication',
  properties: {
    single: P2(p.boolean()).primary(),
    takenAt: P2(p.datetime(3)),
    checkpoint: P2(p.text()).nullable(),
    publishedAt: P2(p.datetime(3)).nullable(),
  },
});
