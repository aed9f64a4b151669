// Schema: how the parts are that everything rests on.

import { readSystemState, type SystemState as SystemStateShape } from '#gateway/operations/system-state.ts';
import type { DatabaseState as DatabaseStateShape } from '#repositories/database-state.ts';
import { builder, ofOperations } from '../../builder.ts';

const LimiterSystemState = builder.objectRef<SystemStateShape['limiter']>('LimiterSystemState').implement({
  description: 'Where limits are kept, in the process that answered.',
  fields: (t) => ({
    state: t.exposeString('state', {
      authScopes: ofOperations,
      description: 'redis, local (Redis is away), recovering, or standalone (no Redis).',
    }),
    since: t.expose('since', { type: 'Timestamp', authScopes: ofOperations, description: 'Since when it is so.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      authScopes: ofOperations,
      description: 'What made Redis unusable, while it is.',
    }),
    latencyMs: t.exposeFloat('latencyMs', {
      nullable: true,
      authScopes: ofOperations,
      description: 'Milliseconds of a look; null where there is no Redis, or it does not answer.',
    }),
  }),
});

const DatabaseState = builder.objectRef<DatabaseStateShape>('DatabaseState').implement({
  description: 'The database, seen from the process that answered.',
  fields: (t) => ({
    version: t.exposeString('version', { authScopes: ofOperations, description: 'Of PostgreSQL.' }),
    latencyMs: t.exposeFloat('latencyMs', { authScopes: ofOperations, description: 'Milliseconds of a look.' }),
    sizeBytes: t.exposeFloat('sizeBytes', { authScopes: ofOperations, description: 'Bytes.' }),
    connections: t.exposeInt('connections', {
      nullable: true,
      authScopes: ofOperations,
      description: 'Connections open now; null where it does not say.',
    }),
    mostConnections: t.exposeInt('mostConnections', {
      nullable: true,
      authScopes: ofOperations,
      description: 'Most connections it takes; null where it does not say.',
    }),
  }),
});

const RecordsState = builder.objectRef<SystemStateShape['records']>('RecordsState').implement({
  description: 'Access records on their way into the database, in the process that answered.',
  fields: (t) => ({
    waiting: t.exposeInt('waiting', { authScopes: ofOperations, description: 'Not saved yet.' }),
    saved: t.exposeInt('saved', { authScopes: ofOperations, description: 'Saved since the process started.' }),
  }),
});

const ReplicaState = builder.objectRef<SystemStateShape['replicas'][number]>('ReplicaState').implement({
  description: 'A replica that portfolios are read from.',
  fields: (t) => ({
    name: t.exposeString('name', {
      authScopes: ofOperations,
      description: "Host and port, or the socket's directory.",
    }),
    usable: t.exposeBoolean('usable', {
      authScopes: ofOperations,
      description:
        'Whether it answered, and followed the primary, when it was last asked; one that did not is left alone for a while.',
    }),
  }),
});

const SystemState = builder.objectRef<SystemStateShape>('SystemState').implement({
  description: 'Redis, database and what waits; several processes of a deployment may differ in all but the database.',
  fields: (t) => ({
    at: t.expose('at', { type: 'Timestamp', authScopes: ofOperations, description: 'When it was looked at.' }),
    startedAt: t.expose('startedAt', {
      type: 'Timestamp',
      authScopes: ofOperations,
      description: 'When the process that answered started.',
    }),
    limiter: t.expose('limiter', {
      type: LimiterSystemState,
      authScopes: ofOperations,
      description: 'Where limits are kept.',
    }),
    database: t.expose('database', {
      type: DatabaseState,
      nullable: true,
      authScopes: ofOperations,
      description: 'Null where it does not answer.',
    }),
    replicas: t.expose('replicas', {
      type: [ReplicaState],
      authScopes: ofOperations,
      description: 'Empty where none is configured.',
    }),
    records: t.expose('records', {
      type: RecordsState,
      authScopes: ofOperations,
      description: 'Access records on their way.',
    }),
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
