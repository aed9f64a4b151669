// Schema: fields that return a property of their object unchanged.
import type { OutputRef } from '@pothos/core';
import { type ScopeSet, scopesOf } from '#core/scopes.ts';
import type { AuthScope } from '#gateway/execution/scopes.ts';
import type { FieldBuilder } from './builder.ts';

/** How the types are called that a value may have on the wire; of `Scopes`, a set of them, their names. */
type Scalar<Value> = Value extends string
  ? 'ID' | 'String' | 'Timestamp' | 'Date' | 'Decimal'
  : Value extends number
    ? 'Int' | 'Float' | 'Scopes'
    : Value extends boolean
      ? 'Boolean'
      : Value extends readonly string[]
        ? '[String]' | '[Date]'
        : Value extends Record<string, unknown>
          ? 'JSON'
          : never;

type Ref<Value> = Value extends readonly (infer One)[] ? readonly [OutputRef<One>] : OutputRef<Value>;

/** What else our own executor is told of a field. */
interface Options {
  extensions?: Readonly<Record<string, unknown>>;
}

/** The type, what it means, and what else there is to say. A scalar that may be null has a question mark, an object an option. */
type Row<Value> = null extends Value
  ?
      | readonly [type: `${Scalar<NonNullable<Value>>}?`, description?: string, options?: Options]
      | readonly [type: Ref<NonNullable<Value>>, description: string, options: Options & { nullable: true }]
  : readonly [type: Scalar<Value> | Ref<Value>, description?: string, options?: Options];

type Rows<Shape> = { readonly [Name in keyof Shape]?: Row<Shape[Name]> };

/** Fields for the properties of these names, all with the same scope. */
export function exposed<Shape>(t: FieldBuilder<Shape>, scope: AuthScope, rows: Rows<NoInfer<Shape>>) {
  const fields = Object.entries(rows as Record<string, Row<unknown>>).map(([name, [type, description, more]]) => {
    const options = { ...written(type), authScopes: { [scope]: true }, description, ...more };
    return [
      name,
      isScopes(type) ? t.field({ ...options, ...named(name) } as never) : t.expose(name as never, options as never),
    ];
  });
  return Object.fromEntries(fields);
}

const isScopes = (type: unknown): boolean => type === 'Scopes' || type === 'Scopes?';

/** The names of the scopes in a property. */
const named = (property: string) => ({
  type: ['String'],
  resolve: (source: Record<string, ScopeSet | null>) => {
    const set = source[property];
    return set == null ? null : scopesOf(set);
  },
});

function written(type: unknown) {
  const [, list, name, nullable] = /^(\[)?(\w+)\]?(\?)?$/.exec(String(type)) ?? [];
  return typeof type === 'string' ? { type: list ? [name] : name, nullable: nullable !== undefined } : { type };
}

/** The same for a type that has no other fields. */
export const exposing =
  <Shape>(scope: AuthScope, rows: Rows<NoInfer<Shape>>) =>
  (t: FieldBuilder<Shape>) =>
    exposed(t, scope, rows);
