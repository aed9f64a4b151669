// Gateway: batches single look-ups by the rows of one request.
import DataLoader from 'dataloader';
import { getOrInsert } from '#core/get-or-insert.ts';
import type { Sql } from '#database/database.ts';
import type { Context } from './context.ts';

type Read<Value> = (sql: Sql, ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>;

const loaders = new WeakMap<Context, Map<unknown, DataLoader<string, never>>>();

/** The value of `id` by `read`, batched with those of the request's other rows; undefined where there is none. */
export function batchLoad<Value>(context: Context, read: Read<Value>, id: string): Promise<Value | undefined> {
  const ofRequest = getOrInsert(loaders, context, () => new Map());
  const makeLoader = () =>
    new DataLoader(async (ids: readonly string[]) => {
      const found = await read(context.database, ids);
      return ids.map((one) => found.get(one));
    });
  return getOrInsert<unknown, DataLoader<string, Value | undefined>>(ofRequest, read, makeLoader).load(id);
}
