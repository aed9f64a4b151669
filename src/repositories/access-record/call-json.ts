// Repositories: calls of the access record as JSON, with the registry ids of the items in their responses.
import { includesOf, unpackNumbers } from '#core/disclosure.ts';
import type { RecordedCall } from '#core/ledger/entry-text.ts';
import { scopesOf } from '#core/scopes.ts';
import type { Sql } from '#database/database.ts';
import { contentsOf } from './item-calls.ts';
import { itemsByNumber } from './item-names.ts';

/** A recorded call. One that was read from the archive has the registry ids of its items, null for items without one. */
export type ReportedCall = Omit<RecordedCall, 'clientId'> & {
  itemIds?: readonly (string | null)[] | null;
  removedIds?: readonly (string | null)[] | null;
};

export const unpackedNumbers = (packed: Buffer | null): number[] => (packed === null ? [] : unpackNumbers(packed));

/** In the order of `calls`. Throws if a call names an unknown item. */
export async function callsJson(sql: Sql, calls: readonly ReportedCall[]) {
  const nameOf = await namesOf(sql, calls);
  return calls.map((call) => ({
    at: call.at,
    firm_id: call.firmId,
    key_id: call.keyId,
    endpoint: call.endpoint,
    registry_id: call.registryId,
    scopes: scopesOf(call.scopes),
    status: call.status,
    request_id: call.requestId,
    tool_role: call.toolRole,
    tool_id: call.toolId,
    contents: contentsOf(call),
    items: call.items && unpackedNumbers(call.items).map(nameOf),
    removed_items: unpackedNumbers(call.removed).map(nameOf),
    disclosed_scopes: call.disclosed === null ? null : scopesOf(call.disclosed),
    includes: call.includes === null ? null : includesOf(call.includes),
    version: call.version,
  }));
}

/** Registry ids of all items in the responses to these calls, from the archive or else from the database. */
async function namesOf(sql: Sql, calls: readonly ReportedCall[]): Promise<(number: number) => string> {
  const archived = new Map<number, string>();
  for (const { items, itemIds, removed, removedIds } of calls)
    for (const [packed, ids] of [[items, itemIds] as const, [removed, removedIds] as const])
      unpackedNumbers(packed).forEach((number, at) => {
        const id = ids?.[at];
        if (id != null) archived.set(number, id);
      });
  const numbers = calls.flatMap(({ items, removed }) => [...unpackedNumbers(items), ...unpackedNumbers(removed)]);
  const items = await itemsByNumber(sql, [...new Set(numbers)].filter((number) => !archived.has(number)).map(String));
  return (number) => {
    const id = archived.get(number) ?? items.get(String(number))?.registryId;
    if (id === undefined) throw new Error(`there is no item, present or removed, with the number ${number}`);
    return id;
  };
}
