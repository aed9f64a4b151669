// Schema: fields that return a property of their object unchanged.
import type { OutputRef } from '@pothos/core';
import { type ScopeSet, scopesOf } from '#core/scopes.ts';
import type { AuthScope } from '#gateway/execution/scopes.ts';
import type { FieldBuilder } from './builder.ts';

/** Names of the GraphQL types that a value of this type may have. `Scopes` is a set of scopes, returned as their names. */
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

/** Further options of a field. */
interface Options {
  /** The name of the field, where it is not that of the property. */
  as?: string;
  extensions?: Readonly<Record<string, unknown>>;
}

/** Type, description and options. A nullable scalar has a question mark, a nullable object the option. */
type Row<Value> = null extends Value
  ?
      | readonly [type: `${Scalar<NonNullable<Value>>}?`, description?: string | undefined, options?: Options]
      | readonly [type: Ref<NonNullable<Value>>, description: string, options: Options & { nullable: true }]
  : readonly [type: Scalar<Value> | Ref<Value>, description?: string | undefined, options?: Options];

type Rows<Shape> = { readonly [Name in keyof Shape]?: Row<Shape[Name]> };

/** Fields for the properties of these names, all with the same scope. */
export function exposed<Shape>(t: FieldBuilder<Shape>, scope: AuthScope, rows: Rows<NoInfer<Shape>>) {
  const fields = Object.entries(rows as Record<string, Row<unknown>>).map(
    ([name, [type, description, { as = name, ...more } = {}]]) => {
      const options = { ...written(type), authScopes: { [scope]: true }, description, ...more };
      return [
        as,
        isScopes(type) ? t.field({ ...options, ...named(name) } as never) : t.expose(name as never, options as never),
      ];
    },
  );
  return Object.fromEntries(fields);
}

const isScopes = (type: unknown): boolean => type === 'Scopes' || type === 'Scopes?';

/** A field with the names of the scopes in a property. */
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
