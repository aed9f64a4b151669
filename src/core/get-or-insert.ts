// Core: `Map.prototype.getOrInsertComputed`, which Node lacks, for maps and caches.

/** A Map, a WeakMap, or a cache. */
interface Store<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: NoInfer<Value>): unknown;
}

/** The value of the key. Without one, calls `create` and stores its value. */
export function getOrInsert<Key, Value extends {}>(
  store: Store<Key, Value>,
  key: Key,
  create: () => NoInfer<Value>,
): Value {
  const stored = store.get(key);
  if (stored !== undefined) return stored;
  const value = create();
  store.set(key, value);
  return value;
}
