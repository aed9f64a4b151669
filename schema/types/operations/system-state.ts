// Schema: the state of the database, Redis and other parts of the system.

import { readSystemState, type SystemState as SystemStateShape } from '#gateway/operations/system-state.ts';
import type { DatabaseFacts } from '#repositories/database-health.ts';
import { builder, ofOperations } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

const LimiterSystemState = builder.objectRef<SystemStateShape['limiter']>('LimiterSystemState').implement({
  description: 'Where limits are counted, in the process that responds.',
  fields: exposing('operations', {
    state: ['String', 'redis, local (Redis is unavailable), recovering, or standalone (no Redis).'],
    since: ['Timestamp', 'Since when it is in this state.'],
    reason: ['String?', 'Why Redis is unusable; null if it is usable.'],
    latencyMs: ['Float?', 'Round trip to Redis in milliseconds; null if there is no Redis, or it does not respond.'],
  }),
});

const DatabaseState = builder.objectRef<DatabaseFacts>('DatabaseState').implement({
  description: 'The database, as seen by the process that responds.',
  fields: exposing('operations', {
    version: ['String', 'Version of PostgreSQL.'],
    latencyMs: ['Float', 'Round trip in milliseconds.'],
    sizeBytes: ['Float', 'Bytes.'],
    connections: ['Int?', 'Number of open connections; null if unknown.'],
    mostConnections: ['Int?', 'Maximum number of connections; null if unknown.'],
  }),
});

const RecordsState = builder.objectRef<SystemStateShape['records']>('RecordsState').implement({
  description: 'Access records that wait to be saved, in the process that responds.',
  fields: exposing('operations', {
    waiting: ['Int', 'Number of records not saved yet.'],
    saved: ['Int', 'Number of records saved since the process started.'],
  }),
});

const ReplicaState = builder.objectRef<SystemStateShape['replicas'][number]>('ReplicaState').implement({
  description: 'A replica from which portfolios are read.',
  fields: exposing('operations', {
    name: ['String', "Host and port, or the socket's directory."],
    usable: [
      'Boolean',
      'Whether it responded and followed the primary when it was last checked. Otherwise it is not used for a while.',
    ],
  }),
});

const SystemState = builder.objectRef<SystemStateShape>('SystemState').implement({
  description:
    'State of Redis, the database and the records to save. Processes of a deployment may differ in everything except the database.',
  fields: exposing('operations', {
    at: ['Timestamp', 'Time of the check.'],
    startedAt: ['Timestamp', 'When the process that responds was started.'],
    limiter: [LimiterSystemState, 'Where limits are counted.'],
    replicas: [[ReplicaState], 'Empty if none is configured.'],
    records: [RecordsState, 'Access records that wait to be saved.'],
    database: [DatabaseState, 'Null if it does not respond.', { nullable: true }],
  }),
});

builder.queryField('systemState', (t) =>
  t.field({
    type: SystemState,
    authScopes: ofOperations,
    extensions: { cost: 20 },
    description: 'The present state of Redis, the database and the records to save.',
    resolve: (_root, _args, context) => readSystemState(context),
  }),
);
