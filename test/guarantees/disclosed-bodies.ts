// What bodies carry of items, read from the bodies alone: the specification of the bodies says which scope a member is of.

import { SCOPES } from '#core/scopes.ts';
import { includedFields } from '#test/support/fields.ts';
import type { Response } from '#test/support/scenario.ts';

type Body = Response['body'];

const camelCase = (name: string) => name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase());

/** Scope of each member of an asset, as the wire or GraphQL names it. */
const ASSET_MEMBERS: Record<string, string> = Object.fromEntries(
  SCOPES.flatMap((scope) =>
    includedFields([scope])
      .filter((name) => !name.includes('.'))
      .flatMap((name) => [name, camelCase(name)].map((member) => [member, scope])),
  ),
);

/** What a call told: `registry id scope` for fields, `registry id removed` for removals, `totals scope`. */
export type Told = Set<string>;

type Row = Record<string, unknown>;

/**
 * Scopes of what an asset holds, in the sense of the record: which item a valuation or document is of is no field of its own.
 * `failed` says whether the member at this name is missing because it was
 * refused.
 */
function scopesOfAsset(row: Row, failed: (name: string) => boolean = () => false): Set<string> {
  const scopes = new Set<string>();
  for (const name of Object.keys(row)) {
    if (name === '__typename' || failed(name)) continue;
    const scope = ASSET_MEMBERS[name];
    if (scope === undefined) throw new Error(`of no scope: ${name}`);
    scopes.add(scope);
  }
  return scopes;
}

const pairs = (registryId: string, scopes: Iterable<string>): string[] =>
  [...scopes].map((scope) => `${registryId} ${scope}`);

/** `ids`: registry ids of a list's rows, which the body need not hold. */
export function toldByRest(route: string, body: Body, { ids, named }: { ids: string[]; named: string }): Told {
  switch (route) {
    case 'list': {
      if (body.data.length !== ids.length) throw new Error('the twin was answered another page');
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

/** Root fields are called after what they are: `list_…`, `item_…`, `valuations_…`, `documents_…`, `summary_…`; `idsOf` knows whose they are. */
export function toldByGraphql({ data, errors = [] }: Body, idsOf: (key: string) => string[]): Told {
  const told = new Set<string>();
  const failed = (...path: (string | number)[]) =>
    errors.some((error: { path?: unknown[] }) => JSON.stringify(error.path) === JSON.stringify(path));
  const add = (more: Iterable<string>) => {
    for (const each of more) told.add(each);
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
      if (value.itemCount !== undefined) told.add('totals registry');
      if (value.totalValue !== undefined) told.add('totals valuation');
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
    for (const { registryId } of value.removed ?? []) told.add(`${registryId} removed`);
  }
  return told;
}

/** What a line of the record says was told, in the same words. */
export interface Line {
  items: string[] | null;
  removed: string[];
  disclosed: string[] | null;
}

export function toldByRecord(lines: readonly Line[]): Told {
  return new Set(
    lines.flatMap(({ items, removed, disclosed }) => [
      ...(items ?? ['?']).flatMap((item) => pairs(item, disclosed ?? ['?'])),
      ...(items?.length === 0 && removed.length === 0 ? (disclosed ?? []).map((scope) => `totals ${scope}`) : []),
      ...removed.map((item) => `${item} removed`),
    ]),
  );
}

/** What one has and the other has not: empty where they say the same. */
export function difference(body: Told, record: Told): string[] {
  return [
    ...[...body.difference(record)].map((each) => `only in the body: ${each}`),
    ...[...record.difference(body)].map((each) => `only on record: ${each}`),
  ];
}
