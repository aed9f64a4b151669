// Core: what is made once for a key, and kept.

/** A Map, a WeakMap, or a cache. */
interface Keeping<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: NoInfer<Value>): unknown;
}

/** The value of the key; where there is none, what `make` gives, from then on: `Map.prototype.getOrInsertComputed`, which Node lacks. */
export function getOrInsert<Key, Value extends {}>(
  kept: Keeping<Key, Value>,
  key: Key,
  make: () => NoInfer<Value>,
): Value {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make();
  kept.set(key, made);
  return made;
}
