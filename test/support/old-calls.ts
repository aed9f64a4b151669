// Test support: clients with recorded calls of earlier months, of every kind that the access record distinguishes.
import { INCLUDE_BITS, packNumbers } from '#core/disclosure.ts';
import type { AccessEvent } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES, SCOPE_BITS } from '#core/scopes.ts';
import type { Database } from '#database/database.ts';
import type { User } from '#repositories/users.ts';
import { saveCalls } from './save-calls.ts';
import { type Item, makeClient, makeFirm, makeGrant, makeItem, makeKey } from './scenario.ts';

const DAY_MS = 86_400_000;

export interface OldCalls {
  clients: User[];
  /** Items of the first client; the last one is deleted. */
  items: Item[];
  /** The number of saved calls of all clients. */
  count: number;
}

/** The beginning of the UTC month so many months ago, in Unix milliseconds. */
export function monthsAgo(months: number): number {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months);
}

/** `access_calls_2026_01` for the month so many months ago. */
export const partitionOf = (months: number): string =>
  `access_calls_${new Date(monthsAgo(months)).toISOString().slice(0, 7).replace('-', '_')}`;

/** Saves calls of each client in each of these months, some at the same instant, and at both ends of the month. */
export async function saveOldCalls(database: Database, months: readonly number[]): Promise<OldCalls> {
  const firm = await makeFirm(database);
  const keys = [await makeKey(database, firm), await makeKey(database, firm)];
  const clients: User[] = [];
  for (let nth = 0; nth < 3; nth++) clients.push(await makeClient(database));
  for (const key of keys) for (const client of clients) await makeGrant(database, key, client);
  const [first] = clients;
  if (first === undefined) throw new Error('no client was made');
  const items: Item[] = [];
  for (let nth = 0; nth < 6; nth++) items.push(await makeItem(database, first));
  const rows = await database.query<{ registryId: string; number: number }>({
    text: 'select registry_id as "registryId", number from items',
  });
  const numbers = items.map(({ registryId }) => rows.find((row) => row.registryId === registryId)?.number ?? 0);
  const gone = items.at(-1);
  await database.query({ text: 'delete from items where id = $1', values: [gone?.id] });

  let count = 0;
  // One batch for each month, as gateways save them.
  for (const month of months) {
    const events: AccessEvent[] = [];
    for (let nth = 0; nth < 40; nth++)
      for (const client of clients) {
        const at = nth === 0 ? monthsAgo(month) : nth === 1 ? monthsAgo(month - 1) - 1 : instant(month, nth);
        const key = keys[nth % 2];
        events.push({
          ...{ requestId: newId('request', at), at: new Date(at).toISOString(), firmId: firm.id, keyId: key?.id ?? '' },
          ...{ clientId: client.id, ...kindOf(nth, client === first ? numbers : [], items) },
        });
      }
    await saveCalls(database, events);
    count += events.length;
  }
  return { clients, items, count };
}

/** Two calls at the same instant, four instants a day. */
const instant = (month: number, nth: number): number => monthsAgo(month) + Math.floor(nth / 2) * (DAY_MS / 4);

type Kind = Omit<AccessEvent, 'requestId' | 'at' | 'firmId' | 'keyId' | 'clientId'>;

function kindOf(nth: number, numbers: readonly number[], items: readonly Item[]): Kind {
  const list: Kind = {
    ...{ endpoint: 'GET /api/v1/assets', registryId: null, scopes: ALL_SCOPES, status: 200, errorCode: null },
    ...{ tookMs: 1.234 + nth, address: '192.0.2.1', userAgent: 'päckchen "1"\n', version: '2026-01-15' },
    disclosure: { items: packNumbers(numbers.slice(nth % 3)), removed: null, scopes: 3, includes: 0 },
  };
  const registryId = items[nth % items.length]?.registryId ?? null;
  const kinds: Kind[] = [
    list,
    {
      ...list,
      disclosure: { items: packNumbers(numbers), removed: packNumbers(numbers.slice(5)), scopes: 1, includes: 3 },
    },
    { ...list, status: 304, disclosure: { items: Buffer.alloc(0), removed: null, scopes: 0, includes: 0 } },
    {
      ...list,
      endpoint: 'GET /api/v1/assets/{registry_id}',
      registryId,
      disclosure: { ...NOTHING, items: packNumbers(numbers.slice(0, 1)) },
    },
    {
      ...list,
      endpoint: 'GET /api/v1/summary',
      disclosure: { ...NOTHING, scopes: SCOPE_BITS.valuation, includes: INCLUDE_BITS.documents },
    },
    {
      ...withoutAnswer(list),
      status: 400,
      errorCode: 'invalid_parameter',
      param: 'page',
      message: 'No “page” \u{1f4c4} ""',
    },
    { ...withoutAnswer(list), status: 403, errorCode: 'no_active_grant', scopes: 0 },
    // A tool that acted as the key; and a call from before items were recorded.
    {
      ...withoutAnswer(list),
      endpoint: 'QUERY',
      toolRole: 'support',
      toolId: newId('service_token'),
      disclosure: list.disclosure ?? NOTHING,
    },
    withoutAnswer(list),
  ];
  return kinds[nth % kinds.length] ?? list;
}

const NOTHING = { items: Buffer.alloc(0), removed: null, scopes: 0, includes: 0 };

const withoutAnswer = ({ disclosure: _, version: __, tookMs: ___, userAgent: ____, ...call }: Kind): Kind => call;
