// Schema: the whole of it, twice from one builder: with its checks and, for pruned documents, without.
import { isObjectType } from 'graphql';
import type { Schemas } from '#gateway/execute.ts';
import { declaredScopes } from '#gateway/prune.ts';
import { builder } from './builder.ts';
import './scalars.ts';
import './types/asset-list.ts';
import './types/operations.ts';
import './types/plant.ts';
import './types/portfolio.ts';

builder.queryType({ description: 'Everything that can be read.' });
builder.mutationType({ description: 'Everything that can be changed.' });

/** Builds both schemas. Throws where a field does not declare its scopes as a plain map. */
export function buildSchemas(): Schemas {
  const guarded = builder.toSchema();
  for (const type of Object.values(guarded.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) declaredScopes(field.extensions, `${type.name}.${field.name}`);
  }
  return { guarded, unguarded: builder.toSchema({ disableScopeAuth: true }) };
}
