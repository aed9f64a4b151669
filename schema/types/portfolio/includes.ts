// Schema: loads lists of rows that an operation selects for each asset of a page, before the page is resolved.
import {
  coerceInputLiteral,
  type FieldNode,
  GraphQLInt,
  type GraphQLResolveInfo,
  Kind,
  type VariableValues,
} from 'graphql';
import { getOrInsert } from '#core/get-or-insert.ts';
import { hasScope, NO_SCOPES } from '#core/scopes.ts';
import type { Context } from '#gateway/execution/context.ts';
import { isLeftOut } from '#gateway/execution/prune.ts';
import { MAX_PAGE_SIZE } from '#gateway/paging/paging.ts';
import type { AssetKey } from '#repositories/assets/asset-children.ts';

/**
 * Loads the rows for fields under `nodes`, with one statement for each list. It considers only fields that are not in
 * fragments, which is true of all prepared documents; rows for other operations are read when their fields are
 * resolved.
 */
export async function loadIncludes(
  context: Context,
  { fieldNodes, variableValues }: GraphQLResolveInfo,
  assets: readonly AssetKey[],
): Promise<void> {
  const [field] = fieldNodes;
  const lists = field === undefined ? [] : listsOf(field);
  if (lists.length === 0) return;
  const requested = lists.filter((list) => !isLeftOut(list, variableValues));
  await Promise.all(requested.map((list) => load(context, list, variableValues, assets)));
}

const found = new WeakMap<FieldNode, FieldNode[]>();

/** The lists of rows among the fields under `nodes`, determined once for each document. */
const listsOf = (field: FieldNode): FieldNode[] =>
  getOrInsert(found, field, () => {
    const nodes = fieldsOf(field).filter(({ name }) => name.value === 'nodes');
    return nodes.flatMap(fieldsOf).filter(({ name }) => name.value === 'valuations' || name.value === 'documents');
  });

function load(context: Context, field: FieldNode, variables: VariableValues, assets: readonly AssetKey[]) {
  const scopes = context.view?.scopes ?? NO_SCOPES;
  if (field.name.value === 'documents')
    return hasScope(scopes, 'documentation') ? context.documents().load(assets) : undefined;
  const first = field.arguments?.[0]?.value;
  if (first === undefined || !hasScope(scopes, 'valuation')) return undefined;
  const count = coerceInputLiteral(first, GraphQLInt, variables);
  // The field itself refuses any other count.
  const isCount = typeof count === 'number' && count >= 1 && count <= MAX_PAGE_SIZE;
  return isCount ? context.valuations(count).load(assets) : undefined;
}

const fieldsOf = ({ selectionSet }: FieldNode): FieldNode[] =>
  (selectionSet?.selections ?? []).filter((selection) => selection.kind === Kind.FIELD);
