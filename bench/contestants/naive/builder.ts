// Bench, naive: the builder as in the plugin's first example: a function that returns the scopes of a field.
import SchemaBuilder from '@pothos/core';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import type { Scope } from '../../../src/core/scopes.ts';
import type { Context } from './context.ts';

interface SchemaTypes {
  Context: Context;
  AuthScopes: Record<Scope, boolean>;
  Scalars: {
    ID: { Input: string; Output: string };
    Timestamp: { Input: string; Output: Date | string };
    Date: { Input: string; Output: string };
    Decimal: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
  };
}

export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ScopeAuthPlugin],
  scopeAuth: {
    authScopes: async ({ view: { scopes } }) => ({
      registry: scopes.has('registry'),
      valuation: scopes.has('valuation'),
      detail: scopes.has('detail'),
      category_detail: scopes.has('category_detail'),
      documentation: scopes.has('documentation'),
      estate: scopes.has('estate'),
      verification: scopes.has('verification'),
    }),
  },
});

builder.scalarType('Timestamp', {
  serialize: (value) => (value instanceof Date ? value.toISOString() : value),
  parseValue: String,
});
for (const name of ['Date', 'Decimal'] as const) builder.scalarType(name, { serialize: String, parseValue: String });
builder.scalarType('JSON', { serialize: (value) => value, parseValue: (value) => value });

/** Options of a field that requires one scope. */
export const needs = (scope: Scope) => ({ authScopes: () => ({ [scope]: true }) });
