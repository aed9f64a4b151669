// Schema: lists of rows that an operation asks of each asset of a page, read for the page before it is gone through.
import { type FieldNode, type GraphQLResolveInfo, Kind, type ValueNode } from 'graphql';
import { hasScope } from '#core/scopes.ts';
import type { Context } from '#gateway/execution/context.ts';
import { includeVariable } from '#gateway/execution/prune.ts';
import { requireCount } from '#gateway/paging/paging.ts';
import type { AssetKey } from '#repositories/assets/asset-children.ts';

type Variables = Readonly<Record<string, unknown>>;

/**
 * Loads what the fields under `nodes` need, a statement each. It looks at fields that are spelled out, which those of all
 * prepared documents are; what any other operation asks for is read when its fields are resolved.
 */
export async function loadIncludes(
  context: Context,
  { fieldNodes, variableValues }: GraphQLResolveInfo,
  assets: readonly AssetKey[],
): Promise<void> {
  // As compiled operations give them; other executions have another form, in which nothing is found.
  const variables = variableValues as unknown as Variables;
  const nodes = fieldNodes.flatMap(fieldsOf).filter(({ name }) => name.value === 'nodes');
  const asked = nodes.flatMap(fieldsOf).filter((field) => isIncluded(field, variables));
  await Promise.all(asked.map((field) => load(context, field, variables, assets)));
}

function load(context: Context, field: FieldNode, variables: Variables, assets: readonly AssetKey[]) {
  const scopes = context.view?.scopes ?? 0;
  if (field.name.value === 'documents' && hasScope(scopes, 'documentation')) return context.documents().load(assets);
  if (field.name.value !== 'valuations' || !hasScope(scopes, 'valuation')) return;
  const count = numberOf(field.arguments?.[0]?.value, variables);
  if (count !== undefined) return context.valuations(requireCount(count)).load(assets);
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
