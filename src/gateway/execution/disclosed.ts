// Gateway: what a response discloses of a portfolio: fields by the operation, items by the resolvers that read them.
import {
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';
import {
  type CarriedItems,
  type Disclosure,
  INCLUDE_BITS,
  type Include,
  type IncludeSet,
  packNumbers,
} from '#core/disclosure.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import { isScope, NO_SCOPES, SCOPE_BITS, type ScopeSet } from '#core/scopes.ts';
import type { Context } from './context.ts';
import { isLeftOut } from './prune.ts';
import { declaredScopes } from './scopes.ts';

/**
 * Declared by a field in `extensions.discloses`: the list of rows that it adds to an item; `removals` for items that
 * are only reported as removed; `item` for a field that only says which item a row belongs to, which the record always
 * does. A field without a declaration discloses its scopes.
 */
export type Discloses = Include | 'removals' | 'item';

/** The fields requested under one root field. */
export interface RequestedFields {
  scopes: ScopeSet;
  /** Scopes of fields outside lists, which are disclosed even where the lists have no rows. */
  rowless: ScopeSet;
  includes: IncludeSet;
  removals: boolean;
}

/** Records the items that the root field of `info` returns. Resolvers that return items of a portfolio must call it. */
export function carry({ carried }: Context, { fieldNodes }: GraphQLResolveInfo, items: CarriedItems): void {
  const [field] = fieldNodes;
  if (field !== undefined) carried.set((field.alias ?? field.name).value, items);
}

/** By response name of the root field. `variables` decide which fields are included. */
export function requestedFields(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  operation: OperationDefinitionNode,
  variables: VariableValues,
): Map<string, RequestedFields> {
  const byRoot = new Map<string, RequestedFields>();
  /** Nested fragments double with each level, so each is visited once under a root field. */
  const visited = new Map<RequestedFields | null, Set<SelectionSetNode>>();

  const collect = (
    type: GraphQLObjectType,
    set: SelectionSetNode,
    requested: RequestedFields | null,
    inRow: boolean,
  ): void => {
    const before = getOrInsert(visited, requested, () => new Set());
    if (before.has(set)) return;
    before.add(set);
    for (const selection of set.selections) {
      if (isLeftOut(selection, variables)) continue;
      if (selection.kind !== Kind.FIELD) {
        const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        if (fragment !== undefined) collect(type, fragment.selectionSet, requested, inRow);
        continue;
      }
      const definition = schema.getField(type, selection.name.value);
      if (definition === undefined || definition.name.startsWith('__')) continue;
      const of = requested ?? getOrInsert(byRoot, (selection.alias ?? selection.name).value, noFields);
      const discloses = definition.extensions.discloses as Discloses | undefined;
      if (discloses === 'removals') {
        of.removals = true;
        continue;
      }
      if (discloses === 'item') continue;
      if (discloses !== undefined) of.includes |= INCLUDE_BITS[discloses];
      for (const scope of declaredScopes(type, definition))
        if (isScope(scope)) {
          of.scopes |= SCOPE_BITS[scope];
          if (!inRow) of.rowless |= SCOPE_BITS[scope];
        }
      const named = getNamedType(definition.type);
      if (selection.selectionSet !== undefined && isObjectType(named)) {
        const isList = isListType(getNullableType(definition.type));
        collect(named, selection.selectionSet, of, inRow || isList);
      }
    }
  };

  const root = schema.getRootType(operation.operation);
  if (isObjectType(root)) collect(root, operation.selectionSet, null, false);
  return byRoot;
}

const noFields = (): RequestedFields => ({ scopes: NO_SCOPES, rowless: NO_SCOPES, includes: 0, removals: false });

/** What the response under a root field disclosed to a caller with the scopes `granted`. */
export function disclosureOf(
  requested: RequestedFields | undefined,
  carried: CarriedItems | undefined,
  granted: ScopeSet,
): Disclosure {
  const empty = carried?.empty === true;
  const scopes = ((empty ? requested?.rowless : requested?.scopes) ?? NO_SCOPES) & granted;
  const removed = requested?.removals && (granted & SCOPE_BITS.registry) !== 0 ? (carried?.removed ?? []) : [];
  const known = removed.filter((number) => number !== null);
  return {
    // Without the number of a removed item the list would be incomplete, and would look complete.
    items: known.length < removed.length ? null : packNumbers(scopes === NO_SCOPES ? [] : (carried?.numbers ?? [])),
    removed: known.length === 0 ? null : packNumbers(known),
    scopes,
    includes: empty ? 0 : (requested?.includes ?? 0),
  };
}
