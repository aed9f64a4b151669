// Schema: loads lists of rows that an operation selects for each asset of a page, before the page is resolved.
import { type FieldNode, type GraphQLResolveInfo, Kind, type ValueNode } from 'graphql';
import { getOrInsert } from '#core/get-or-insert.ts';
import { hasScope, NO_SCOPES } from '#core/scopes.ts';
import type { Context } from '#gateway/execution/context.ts';
import { includeVariable } from '#gateway/execution/prune.ts';
import { MAX_PAGE_SIZE } from '#gateway/paging/paging.ts';
import type { AssetKey } from '#repositories/assets/asset-children.ts';

type Variables = Readonly<Record<string, unknown>>;

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
  // In the form of compiled operations. Other executions have another form, in which nothing is found.
  const variables = variableValues as unknown as Variables;
  const requested = lists.filter((list) => isIncluded(list, variables));
  await Promise.all(requested.map((list) => load(context, list, variables, assets)));
}

const found = new WeakMap<FieldNode, FieldNode[]>();

/** The lists of rows among the fields under `nodes`, determined once for each document. */
const listsOf = (field: FieldNode): FieldNode[] =>
  getOrInsert(found, field, () => {
    const nodes = fieldsOf(field).filter(({ name }) => name.value === 'nodes');
    return nodes.flatMap(fieldsOf).filter(({ name }) => name.value === 'valuations' || name.value === 'documents');
  });

function load(context: Context, field: FieldNode, variables: Variables, assets: readonly AssetKey[]) {
  const scopes = context.view?.scopes ?? NO_SCOPES;
  if (field.name.value === 'documents')
    return hasScope(scopes, 'documentation') ? context.documents().load(assets) : undefined;
  const count = hasScope(scopes, 'valuation') ? numberOf(field.arguments?.[0]?.value, variables) : undefined;
  // The field itself refuses any other count.
  const isCount = count !== undefined && count >= 1 && count <= MAX_PAGE_SIZE;
  return isCount ? context.valuations(count).load(assets) : undefined;
}

const fieldsOf = ({ selectionSet }: FieldNode): FieldNode[] =>
  (selectionSet?.selections ?? []).filter((selection) => selection.kind === Kind.FIELD);

function isIncluded(field: FieldNode, variables: Variables): boolean {
  if (field.directives === undefined || field.directives.length === 0) return true;
  const variable = includeVariable(field);
  return variable !== null && variables[variable] === true;
}

function numberOf(value: ValueNode | undefined, variables: Variables): number | undefined {
  if (value?.kind === Kind.INT) return Number(value.value);
  const given = value?.kind === Kind.VARIABLE ? variables[value.name.value] : undefined;
  return typeof given === 'number' ? given : undefined;
}
