// Reads from response bodies alone what they disclose: the specification says to which scope each member belongs.

import { SCOPES } from '#core/scopes.ts';
import { includedFields } from '#test/support/fields.ts';
import type { Response } from '#test/support/scenario.ts';

type Body = Response['body'];

const camelCase = (name: string) => name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase());

/** Scope of each member of an asset, by its name in REST and in GraphQL. */
const ASSET_MEMBERS: Record<string, string> = Object.fromEntries(
  SCOPES.flatMap((scope) =>
    includedFields([scope])
      .filter((name) => !name.includes('.'))
      .flatMap((name) => [name, camelCase(name)].map((member) => [member, scope])),
  ),
);

/** What a call disclosed: `registry id scope` for fields, `registry id removed` for removals, `totals scope`. */
export type Disclosed = Set<string>;

type Row = Record<string, unknown>;

/**
 * Scopes of the members of an asset, as the access record counts them. `failed` says whether a member was refused.
 */
function scopesOfAsset(row: Row, failed: (name: string) => boolean = () => false): Set<string> {
  const scopes = new Set<string>();
  for (const name of Object.keys(row)) {
    if (name === '__typename' || failed(name)) continue;
    const scope = ASSET_MEMBERS[name];
    if (scope === undefined) throw new Error(`no scope for ${name}`);
    scopes.add(scope);
  }
  return scopes;
}

const pairs = (registryId: string, scopes: Iterable<string>): string[] =>
  [...scopes].map((scope) => `${registryId} ${scope}`);

/** `ids`: registry ids of a list's rows, which the body may not contain. */
export function disclosedByRest(
  route: string,
  body: Body,
  { ids, named }: { ids: string[]; named: string },
): Disclosed {
  switch (route) {
    case 'list': {
      if (body.data.length !== ids.length) throw new Error('the twin got another page');
      const rows = body.data.flatMap((row: Row, at: number) => pairs(ids[at] ?? '', scopesOfAsset(row)));
      const removed = (body.removed ?? []).map((row: { registry_id: string }) => `${row.registry_id} removed`);
      return new Set([...rows, ...removed]);
    }
    case 'item':
      return new Set(pairs(named, scopesOfAsset(body.data)));
    case 'valuations':
      return new Set(pairs(named, ['valuation']));
    case 'documents':
      return new Set(pairs(named, ['documentation']));
    default: {
      const { item_count, categories, total_value, documentation_completeness } = body.data;
      const scopes = [
        ...(item_count === undefined && categories === undefined ? [] : ['registry']),
        ...(total_value === undefined ? [] : ['valuation']),
        ...(documentation_completeness === undefined ? [] : ['documentation']),
      ];
      return new Set(scopes.map((scope) => `totals ${scope}`));
    }
  }
}

/** Aliases of root fields begin with their kind: `list_`, `item_`, `valuations_`, `documents_`, `summary_`. */
export function disclosedByGraphql({ data, errors = [] }: Body, idsOf: (key: string) => string[]): Disclosed {
  const found = new Set<string>();
  const failed = (...path: (string | number)[]) =>
    errors.some((error: { path?: unknown[] }) => JSON.stringify(error.path) === JSON.stringify(path));
  const add = (more: Iterable<string>) => {
    for (const each of more) found.add(each);
  };
  for (const [key, value] of Object.entries<Body>(data ?? {})) {
    if (value === null) continue;
    const [kind] = key.split('_');
    const ids = idsOf(key);
    const named = ids[0] ?? '';
    if (kind === 'item')
      add(
        pairs(
          named,
          scopesOfAsset(value, (name) => failed(key, name)),
        ),
      );
    if (kind === 'valuations') add(pairs(named, ['valuation']));
    if (kind === 'documents') add(pairs(named, ['documentation']));
    if (kind === 'summary') {
      if (value.itemCount !== undefined) found.add('totals registry');
      if (value.totalValue !== undefined) found.add('totals valuation');
    }
    if (kind !== 'list') continue;
    (value.nodes ?? []).forEach((row: Row, at: number) => {
      add(
        pairs(
          ids[at] ?? '',
          scopesOfAsset(row, (name) => failed(key, 'nodes', at, name)),
        ),
      );
    });
    (value.edges ?? []).forEach(({ node }: { node: Row }, at: number) => {
      add(
        pairs(
          ids[at] ?? '',
          scopesOfAsset(node, (name) => failed(key, 'edges', at, 'node', name)),
        ),
      );
    });
    for (const { registryId } of value.removed ?? []) found.add(`${registryId} removed`);
  }
  return found;
}

/** A row of the access record. */
export interface RecordRow {
  items: string[] | null;
  removed: string[];
  disclosed: string[] | null;
}

export function disclosedByRecord(lines: readonly RecordRow[]): Disclosed {
  return new Set(
    lines.flatMap(({ items, removed, disclosed }) => [
      ...(items ?? ['?']).flatMap((item) => pairs(item, disclosed ?? ['?'])),
      ...(items?.length === 0 && removed.length === 0 ? (disclosed ?? []).map((scope) => `totals ${scope}`) : []),
      ...removed.map((item) => `${item} removed`),
    ]),
  );
}

/** What only one of the two contains: empty if they agree. */
export function difference(body: Disclosed, record: Disclosed): string[] {
  return [
    ...[...body.difference(record)].map((each) => `only in the body: ${each}`),
    ...[...record.difference(body)].map((each) => `only on record: ${each}`),
  ];
}
