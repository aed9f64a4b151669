// Schema: the whole of it, twice from one builder: with its checks and, for pruned documents, without.
import { type GraphQLSchema, isObjectType } from 'graphql';
import type { Schemas } from '#gateway/execute.ts';
import { declaredScopes } from '#gateway/prune.ts';
import { builder } from './builder.ts';
import './scalars.ts';
import './types/access-record.ts';
import './types/activity.ts';
import './types/asset-list.ts';
import './types/call.ts';
import './types/category.ts';
import './types/grant-actions.ts';
import './types/grant-event.ts';
import './types/grant-list.ts';
import './types/grant-requests.ts';
import './types/key-actions.ts';
import './types/key-card.ts';
import './types/key-list.ts';
import './types/operations.ts';
import './types/own-items.ts';
import './types/plant.ts';
import './types/portfolio.ts';
import './types/preview.ts';
import './types/system-state.ts';
import './types/viewer.ts';
import './types/what-if.ts';

builder.queryType({ description: 'Everything that can be read.' });
builder.mutationType({ description: 'Everything that can be changed.' });

/** Builds both schemas, the guarded one when it is first asked for. Throws where a field has no plain map of scopes. */
export function buildSchemas(): Schemas {
  const unguarded = builder.toSchema({ disableScopeAuth: true });
  for (const type of Object.values(unguarded.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) declaredScopes(field.extensions, `${type.name}.${field.name}`);
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
