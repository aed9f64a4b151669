// Schema: fields that give a property of their object as it is.
import type { OutputRef } from '@pothos/core';
import type { AuthScope } from '#gateway/execution/scopes.ts';
import type { FieldBuilder } from './builder.ts';

/** How the types are called that a value may have on the wire. */
type Scalar<Value> = Value extends string
  ? 'ID' | 'String' | 'Timestamp' | 'Date' | 'Decimal'
  : Value extends number
    ? 'Int' | 'Float'
    : Value extends boolean
      ? 'Boolean'
      : Value extends readonly string[]
        ? '[String]' | '[Date]'
        : never;

type Ref<Value> = Value extends readonly (infer One)[] ? readonly [OutputRef<One>] : OutputRef<Value>;

/** The type, of scalars with a question mark where the property may be null, and what it means. */
type Row<Value> = readonly [
  type: null extends Value ? `${Scalar<NonNullable<Value>>}?` : Scalar<Value> | Ref<Value>,
  description?: string,
];

type Rows<Shape> = { readonly [Name in keyof Shape]?: Row<Shape[Name]> };

/** The properties of these names, all with the same scope. */
export function exposed<Shape>(t: FieldBuilder<Shape>, scope: AuthScope, rows: Rows<NoInfer<Shape>>) {
  const fields = Object.entries(rows as Record<string, Row<unknown>>).map(([name, [type, description]]) => {
    const options = { ...written(type), authScopes: { [scope]: true }, description };
    return [name, t.expose(name as never, options as never)];
  });
  return Object.fromEntries(fields);
}

function written(type: unknown) {
  const [, list, name, nullable] = /^(\[)?(\w+)\]?(\?)?$/.exec(String(type)) ?? [];
  return typeof type === 'string' ? { type: list ? [name] : name, nullable: nullable !== undefined } : { type };
}

/** The same as all the fields of a type. */
export const exposing =
  <Shape>(scope: AuthScope, rows: Rows<NoInfer<Shape>>) =>
  (t: FieldBuilder<Shape>) =>
    exposed(t, scope, rows);
