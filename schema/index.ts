// Schema: the complete schema, built twice from one builder: with scope checks and, for pruned documents, without.
import { type GraphQLSchema, isObjectType } from 'graphql';
import type { Schemas } from '#gateway/execution/execute.ts';
import { declaredScopes } from '#gateway/execution/scopes.ts';
import { builder } from './builder.ts';
import './scalars.ts';
import './types/access-record/record.ts';
import './types/access-record/activity.ts';
import './types/portfolio/assets.ts';
import './types/access-record/call.ts';
import './types/consent/grant-actions.ts';
import './types/consent/grant-requests.ts';
import './types/firm/firm-event.ts';
import './types/firm/member-actions.ts';
import './types/keys/key-actions.ts';
import './types/keys/key-summary.ts';
import './types/operations/operations.ts';
import './types/portfolio/own-items.ts';
import './types/plants/plant.ts';
import './types/portfolio/portfolio-summary.ts';
import './types/consent/notifications.ts';
import './types/consent/preview.ts';
import './types/operations/limit-history.ts';
import './types/operations/unauthenticated-calls.ts';
import './types/operations/system-state.ts';
import './types/consent/test-client.ts';
import './types/consent/viewer.ts';
import './types/operations/what-if.ts';

builder.queryType({ description: 'Everything that can be read.' });
builder.mutationType({ description: 'Everything that can be changed.' });

/**
 * Builds the unguarded schema, and the guarded one on demand. Throws if a field does not declare a plain map of scopes.
 */
export function buildSchemas(): Schemas {
  // Not sorted, which would build it once more: nothing lists its types.
  const unguarded = builder.toSchema({ disableScopeAuth: true, sortSchema: false });
  for (const type of Object.values(unguarded.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) declaredScopes(type, field);
  }
  let guarded: GraphQLSchema | undefined;
  return {
    unguarded,
    get guarded() {
      guarded ??= builder.toSchema();
      return guarded;
    },
  };
}

let shared: Schemas | undefined;

/** The schemas shared by all gateways of this process, built on demand. */
export function sharedSchemas(): Schemas {
  shared ??= buildSchemas();
  return shared;
}
