// Schema: the state of the database, Redis and other parts of the system.

import { readSystemState, type SystemState as SystemStateShape } from '#gateway/operations/system-state.ts';
import type { DatabaseState as DatabaseStateShape } from '#repositories/database-state.ts';
import { builder, ofOperations } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

const LimiterSystemState = builder.objectRef<SystemStateShape['limiter']>('LimiterSystemState').implement({
  description: 'Where limits are kept, in the process that answered.',
  fields: exposing('operations', {
    state: ['String', 'redis, local (Redis is away), recovering, or standalone (no Redis).'],
    since: ['Timestamp', 'Since when it is so.'],
    reason: ['String?', 'What made Redis unusable, while it is.'],
    latencyMs: ['Float?', 'Milliseconds of a look; null where there is no Redis, or it does not answer.'],
  }),
});

const DatabaseState = builder.objectRef<DatabaseStateShape>('DatabaseState').implement({
  description: 'The database, seen from the process that answered.',
  fields: exposing('operations', {
    version: ['String', 'Of PostgreSQL.'],
    latencyMs: ['Float', 'Milliseconds of a look.'],
    sizeBytes: ['Float', 'Bytes.'],
    connections: ['Int?', 'Connections open now; null where it does not say.'],
    mostConnections: ['Int?', 'Most connections it takes; null where it does not say.'],
  }),
});

const RecordsState = builder.objectRef<SystemStateShape['records']>('RecordsState').implement({
  description: 'Access records on their way into the database, in the process that answered.',
  fields: exposing('operations', {
    waiting: ['Int', 'Not saved yet.'],
    saved: ['Int', 'Saved since the process started.'],
  }),
});

const ReplicaState = builder.objectRef<SystemStateShape['replicas'][number]>('ReplicaState').implement({
  description: 'A replica that portfolios are read from.',
  fields: exposing('operations', {
    name: ['String', "Host and port, or the socket's directory."],
    usable: [
      'Boolean',
      'Whether it answered, and followed the primary, when it was last asked; one that did not is left alone for a while.',
    ],
  }),
});

const SystemState = builder.objectRef<SystemStateShape>('SystemState').implement({
  description: 'Redis, database and what waits; several processes of a deployment may differ in all but the database.',
  fields: exposing('operations', {
    at: ['Timestamp', 'When it was looked at.'],
    startedAt: ['Timestamp', 'When the process that answered started.'],
    limiter: [LimiterSystemState, 'Where limits are kept.'],
    replicas: [[ReplicaState], 'Empty where none is configured.'],
    records: [RecordsState, 'Access records on their way.'],
    database: [DatabaseState, 'Null where it does not answer.', { nullable: true }],
  }),
});

builder.queryField('systemState', (t) =>
  t.field({
    type: SystemState,
    authScopes: ofOperations,
    complexity: 20,
    description: 'How Redis, the database and the records are right now.',
    resolve: (_root, _args, context) => readSystemState(context),
  }),
);
