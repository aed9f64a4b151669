// Gateway: what the rows of one request ask for one by one, read together.
import DataLoader from 'dataloader';
import type { Sql } from '#database/database.ts';
import type { Context } from './context.ts';

type Read<Value> = (sql: Sql, ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>;

const loaders = new WeakMap<Context, Map<unknown, DataLoader<string, unknown>>>();

/** The value of `id` by `read`, with those of the request's other rows in one statement; undefined where it has none. */
export function batchLoad<Value>(context: Context, read: Read<Value>, id: string): Promise<Value | undefined> {
  let ofRequest = loaders.get(context);
  if (ofRequest === undefined) {
    ofRequest = new Map();
    loaders.set(context, ofRequest);
  }
  let loader = ofRequest.get(read) as DataLoader<string, Value | undefined> | undefined;
  if (loader === undefined) {
    loader = new DataLoader(async (ids: readonly string[]) => {
      const found = await read(context.database, ids);
      return ids.map((one) => found.get(one));
    });
    ofRequest.set(read, loader as DataLoader<string, unknown>);
  }
  return loader.load(id);
}
