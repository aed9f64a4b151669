// Core: large values that are let go as soon as they were used.

/**
 * The value, of which nothing is left where it was. A promise that had to wait is old when it resolves, and the garbage
 * collector spares whatever an old object names until its next great round: rows and bodies would stay in memory long
 * after they were sent, and make that round come sooner.
 */
export function emptied<Value extends object>(value: Value): Value {
  if (Array.isArray(value)) return value.splice(0) as unknown as Value;
  const taken = { ...value };
  for (const member of Object.keys(value)) (value as Record<string, unknown>)[member] = undefined;
  return taken;
}
