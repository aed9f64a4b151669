// Gateway: a prepared document cut down to what a set of scopes may read, once per set instead of per row.
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { Refusal } from '#core/errors.ts';
import { isScope } from '#core/scopes.ts';
import type { AuthScope, AuthScopeMap } from './scopes.ts';

/** A field that the scopes do not cover: refused when the caller asked for it by name, left out otherwise. */
export interface RefusedField {
  scope: AuthScope;
  /** The variable of its @include, or null for the document's root field. */
  askedBy: string | null;
}

export interface PrunedDocument {
  document: DocumentNode;
  refused: RefusedField[];
}

/** The static scopes a field declares. Throws where they are not a plain map: such a check could not be hoisted. */
export function declaredScopes(extensions: Readonly<Record<string, unknown>>, where: string): AuthScope[] {
  const declared = (extensions.pothosOptions as { authScopes?: unknown } | undefined)?.authScopes;
  const plain = typeof declared === 'object' && declared !== null && Object.values(declared).every((on) => on === true);
  if (!plain) throw new Error(`${where} must declare its scopes as a plain map of scope: true`);
  return Object.keys(declared) as AuthScope[];
}

/** Removes what `granted` does not cover. A selection that becomes empty goes with its field. */
export function pruneDocument(document: DocumentNode, schema: GraphQLSchema, granted: AuthScopeMap): PrunedDocument {
  const refused: RefusedField[] = [];

  const pruneField = (field: FieldNode, typeName: string, root: boolean): FieldNode | null => {
    const type = schema.getType(typeName);
    const definition = isObjectType(type) ? type.getFields()[field.name.value] : undefined;
    if (definition === undefined) throw new Error(`${typeName}.${field.name.value} is not in the schema`);
    const missing = declaredScopes(definition.extensions, `${typeName}.${field.name.value}`).find((s) => !granted[s]);
    if (missing !== undefined) {
      const askedBy = includeVariable(field);
      if (askedBy !== null || root) refused.push({ scope: missing, askedBy });
      return null;
    }
    if (field.selectionSet === undefined) return field;
    const selectionSet = pruneSelection(field.selectionSet, getNamedType(definition.type).name, false);
    return selectionSet === null ? null : { ...field, selectionSet };
  };

  const pruneSelection = (set: SelectionSetNode, typeName: string, root: boolean): SelectionSetNode | null => {
    const selections = set.selections.flatMap((selection) => {
      if (selection.kind !== Kind.FIELD) throw new Error('a document that is pruned has its fragments written out');
      return pruneField(selection, typeName, root) ?? [];
    });
    return selections.length === 0 ? null : { ...set, selections };
  };

  const definitions = document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
    const selectionSet = pruneSelection(definition.selectionSet, rootType(schema, definition), true);
    return selectionSet === null ? [] : [{ ...definition, selectionSet }];
  });
  return { document: { ...document, definitions }, refused };
}

function rootType(schema: GraphQLSchema, { operation }: OperationDefinitionNode): string {
  const type = operation === 'query' ? schema.getQueryType() : schema.getMutationType();
  if (type === null || type === undefined) throw new Error(`the schema has no ${operation}`);
  return type.name;
}

/** The variable of the field's @include, or null where it has none. */
export function includeVariable(field: FieldNode): string | null {
  const include = field.directives?.find((directive) => directive.name.value === 'include');
  const value = include?.arguments?.[0]?.value;
  return value?.kind === Kind.VARIABLE ? value.name.value : null;
}

/** `insufficient_scope` where the scope is one of a client's data, `forbidden` otherwise. */
export function scopeRefusal(scope: AuthScope): Refusal {
  if (isScope(scope)) return new Refusal('insufficient_scope', { message: `This needs the scope ${scope}.` });
  return new Refusal('forbidden', { message: 'This caller may not do this.' });
}
