// Core: lazy initialisation.

/** Returns a function that calls `create` once and caches the result. A failure is not cached. */
export function lazy<Value>(create: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= create().catch((error: unknown) => {
      value = undefined;
      throw error;
    });
    return value;
  };
}
