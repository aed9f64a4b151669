// Database: access records: who read what and when, in rows that refer to repeated values by number, and counts by day.
import { entity, p } from './entity.ts';
import { P1, P2 } from './tier.ts';

/** The clients' record, partitioned by month. */
export const AccessCall = entity('AccessCall', 'access_calls', {
  at: P2(p.datetime(3)).primary(),
  id: P2(p.uuid()).primary(),
  key: P2(p.integer()),
  pair: P2(p.integer()),
  shape: P2(p.integer()),
  origin: P2(p.integer()).nullable(),
  tookUs: P2(p.integer()).nullable(),
  status: P2(p.smallint()),
  related: P2(p.boolean()),
  items: P1(p.blob()).nullable(),
  removed: P1(p.blob()),
  registryId: P1(p.text()),
  entry: P2(p.bigint()),
});

/** Calls by firms' keys that no grant joined to a client, as firms see them. Partitioned by month. */
export const FirmRefusal = entity('FirmRefusal', 'firm_refusals', {
  at: P2(p.datetime(3)).primary(),
  id: P2(p.uuid()).primary(),
  key: P2(p.integer()),
  shape: P2(p.integer()),
  origin: P2(p.integer()).nullable(),
  tookUs: P2(p.integer()).nullable(),
  status: P2(p.smallint()),
  clientId: P2(p.text()).nullable(),
  registryId: P1(p.text()).nullable(),
  path: P1(p.text()).nullable(),
});

export const AccessKey = entity('AccessKey', 'access_keys', {
  number: P2(p.integer()).primary(),
  keyId: P2(p.text()),
  firmId: P2(p.text()),
  seen: P2(p.date()),
});

export const AccessPair = entity('AccessPair', 'access_pairs', {
  number: P2(p.integer()).primary(),
  clientId: P2(p.text()),
  keyId: P2(p.text()),
  seen: P2(p.date()),
});

export const AccessShape = entity('AccessShape', 'access_shapes', {
  number: P2(p.integer()).primary(),
  hash: P2(p.uuid()),
  seen: P2(p.date()),
  endpoint: P2(p.text()),
  scopes: P2(p.smallint()),
  errorCode: P2(p.text()).nullable(),
  param: P2(p.text()).nullable(),
  message: P2(p.text()).nullable(),
  disclosed: P2(p.smallint()).nullable(),
  includes: P2(p.smallint()).nullable(),
  version: P2(p.date()).nullable(),
  toolRole: P2(p.text()).nullable(),
  toolId: P2(p.text()).nullable(),
});

export const AccessOrigin = entity('AccessOrigin', 'access_origins', {
  number: P2(p.integer()).primary(),
  hash: P2(p.uuid()),
  seen: P2(p.date()),
  address: P2(p.text()).nullable(),
  userAgent: P2(p.text()).nullable(),
});

/** The last batch that each recording process has saved. */
export const AccessWriter = entity('AccessWriter', 'access_writers', {
  writer: P2(p.uuid()).primary(),
  batch: P2(p.bigint()),
  savedAt: P2(p.datetime(3)),
});

export const AccessDay = entity('AccessDay', 'access_days', {
  firmId: P2(p.text()).primary(),
  day: P2(p.date()).primary(),
  keyId: P2(p.text()).primary(),
  endpoint: P2(p.text()).primary(),
  status: P2(p.smallint()).primary(),
  errorCode: P2(p.text()).primary(),
  calls: P2(p.integer()),
  unlisted: P2(p.integer()),
  quarters: P2(p.array()).nullable(),
});

/** Calls without any firm's key. The table keeps its name, because gateways of the previous release write to it. */
export const UnauthenticatedDay = entity('UnauthenticatedDay', 'stranger_days', {
  day: P2(p.date()).primary(),
  errorCode: P2(p.text()).primary(),
  calls: P2(p.integer()),
});

/** Written by gateways of the previous release; rows are copied to AccessCall. */
export const AccessRecord = entity('AccessRecord', 'access_records', {
  requestId: P2(p.text()).primary(),
  at: P2(p.datetime(3)),
  firmId: P2(p.text()),
  keyId: P2(p.text()),
  clientId: P2(p.text()),
  endpoint: P2(p.text()),
  registryId: P1(p.text()).nullable(),
  scopes: P2(p.smallint()),
  status: P2(p.smallint()),
  errorCode: P2(p.text()).nullable(),
  related: P2(p.boolean()),
  toolRole: P2(p.text()).nullable(),
  toolId: P2(p.text()).nullable(),
  items: P1(p.blob()).nullable(),
  removed: P1(p.blob()).nullable(),
  disclosed: P2(p.smallint()).nullable(),
  includes: P2(p.smallint()).nullable(),
  version: P2(p.date()).nullable(),
});

/** One row, once months are kept with an archive. */
export const RecordArchive = entity('RecordArchive', 'record_archive', {
  single: P2(p.boolean()).primary(),
  since: P2(p.datetime(3)),
});

/** Months of AccessCall that have been archived to files. */
export const RecordArchiveMonth = entity('RecordArchiveMonth', 'record_archive_months', {
  month: P2(p.date()).primary(),
  archivedAt: P2(p.datetime(3)),
  removedAt: P2(p.datetime(3)).nullable(),
});
