// Gateway: prunes a prepared document to what a set of scopes may read, once per set instead of per row.
import {
  type DocumentNode,
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';
import { type AuthScope, type AuthScopeMap, declaredScopes } from './scopes.ts';

/** A field outside the scopes. It is refused where the caller requested it by name, and omitted otherwise. */
export interface RefusedField {
  scope: AuthScope;
  /** The variable of its @include, or null for the document's root field. */
  askedBy: string | null;
}

interface PrunedDocument {
  document: DocumentNode;
  refused: RefusedField[];
}

/** Removes fields outside `granted`. A field whose selection becomes empty is removed too. */
export function pruneDocument(document: DocumentNode, schema: GraphQLSchema, granted: AuthScopeMap): PrunedDocument {
  const refused: RefusedField[] = [];

  const pruneField = (field: FieldNode, type: GraphQLNamedType, root: boolean): FieldNode | null => {
    const definition = isObjectType(type) ? type.getFields()[field.name.value] : undefined;
    if (definition === undefined) throw new Error(`${type.name}.${field.name.value} is not in the schema`);
    const missing = declaredScopes(type, definition).find((scope) => !granted[scope]);
    if (missing !== undefined) {
      const askedBy = includeVariable(field);
      if (askedBy !== null || root) refused.push({ scope: missing, askedBy });
      return null;
    }
    if (field.selectionSet === undefined) return field;
    const selectionSet = pruneSelection(field.selectionSet, getNamedType(definition.type), false);
    return selectionSet === null ? null : { ...field, selectionSet };
  };

  const pruneSelection = (set: SelectionSetNode, type: GraphQLNamedType, root: boolean): SelectionSetNode | null => {
    const selections = set.selections.flatMap((selection) => {
      if (selection.kind !== Kind.FIELD) throw new Error('a document that is pruned has its fragments written out');
      return pruneField(selection, type, root) ?? [];
    });
    return selections.length === 0 ? null : { ...set, selections };
  };

  const definitions = document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
    const root = schema.getRootType(definition.operation);
    const selectionSet = root == null ? null : pruneSelection(definition.selectionSet, root, true);
    return selectionSet === null ? [] : [{ ...definition, selectionSet }];
  });
  return { document: { ...document, definitions }, refused };
}

/** Whether the directives exclude the selection with these variables. */
export const isLeftOut = (selection: SelectionNode, variables: VariableValues): boolean =>
  getDirectiveValues(GraphQLSkipDirective, selection, variables)?.if === true ||
  getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.if === false;

/** The variable of the field's @include, or null. */
export function includeVariable(field: FieldNode): string | null {
  const include = field.directives?.find((directive) => directive.name.value === 'include');
  const value = include?.arguments?.[0]?.value;
  return value?.kind === Kind.VARIABLE ? value.name.value : null;
}
