// Database: the ledger: the queue of entries to append, positions of entries, salted hashes and the tree over them.
import { entity, p } from './entity.ts';
import { P0, P2 } from './tier.ts';

/** One row: the head of the log. */
export const Ledger = entity('Ledger', 'ledger', {
  single: P2(p.boolean()).primary(),
  origin: P2(p.text()),
  size: P2(p.bigint()),
  root: P2(p.blob()),
  checkpoint: P2(p.text()).nullable(),
  appendedAt: P2(p.datetime(3)).nullable(),
});

export const LedgerPending = entity('LedgerPending', 'ledger_pending', {
  number: P2(p.bigint()).primary(),
  subjects: P2(p.array()).nullable(),
  digests: P0(p.blob()).nullable(),
  source: P2(p.text()).nullable(),
  event: P2(p.bigint()).nullable(),
  at: P2(p.datetime(3)),
});

export const LedgerBatch = entity('LedgerBatch', 'ledger_batches', {
  number: P2(p.bigint()).primary(),
  first: P2(p.bigint()),
  entries: P2(p.integer()),
  numbers: P2(p.blob()),
  at: P2(p.datetime(3)),
});

export const LedgerStep = entity('LedgerStep', 'ledger_steps', {
  source: P2(p.text()).primary(),
  event: P2(p.bigint()).primary(),
  leaf: P2(p.bigint()),
  number: P2(p.bigint()),
});

export const LedgerSubject = entity('LedgerSubject', 'ledger_subjects', {
  subject: P2(p.text()).primary(),
  secret: P0(p.blob()).nullable(),
  entries: P2(p.bigint()),
});

export const LedgerBundle = entity('LedgerBundle', 'ledger_bundles', {
  index: P2(p.bigint()).primary(),
  commitments: P2(p.blob()),
});

export const LedgerTile = entity('LedgerTile', 'ledger_tiles', {
  level: P2(p.smallint()).primary(),
  index: P2(p.bigint()).primary(),
  hashes: P2(p.blob()),
});

export const LedgerErasure = entity('LedgerErasure', 'ledger_erasures', {
  id: P2(p.bigint()).primary(),
  at: P2(p.datetime(3)),
  leaves: P2(p.blob()),
});

export const LedgerBegin = entity('LedgerBegin', 'ledger_begin', {
  source: P2(p.text()).primary(),
  event: P2(p.bigint()),
});

export const LedgerWitness = entity('LedgerWitness', 'ledger_witnesses', {
  witness: P2(p.text()).primary(),
  size: P2(p.bigint()),
  askedAt: P2(p.datetime(3)),
  cosignedAt: P2(p.datetime(3)).nullable(),
});

export const LedgerPublication = entity('LedgerPublication', 'ledger_publication', {
  single: P2(p.boolean()).primary(),
  takenAt: P2(p.datetime(3)),
  checkpoint: P2(p.text()).nullable(),
  publishedAt: P2(p.datetime(3)).nullable(),
});
