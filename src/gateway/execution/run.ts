// Gateway: one execution of a compiled query.
import type { VariableValues } from 'graphql';
import { getOrInsert } from '#core/get-or-insert.ts';
import type { Context } from './context.ts';

/** Converts a value to its form in the response. */
export type Complete = (value: unknown, run: Run) => unknown;

/** One execution: the response under construction, what it waits for, and how long it will be valid. */
export class Run {
  readonly context: Context;
  readonly variables: VariableValues;
  /** Unix second at which the clock alone changes the response; Infinity for never. */
  endsAt = Number.POSITIVE_INFINITY;
  /** Whether the end of the UTC day changes the response. */
  endsWithDay = false;
  readonly #once = new Map<object, never>();
  #waiting: Promise<void>[] = [];
  #failure: { error: unknown } | null = null;

  constructor(context: Context, variables: VariableValues) {
    this.context = context;
    this.variables = variables;
  }

  /** The complete root object. Rejects with the first error. */
  async data(complete: Complete): Promise<object> {
    const data = complete(ROOT, this) as object;
    while (this.#waiting.length > 0 && this.#failure === null) await Promise.all(this.#waiting.splice(0));
    if (this.#failure !== null) throw this.#failure.error;
    return data;
  }

  /** Puts the completed value in its place. A place is reserved while the value is a promise. */
  put(into: object, key: string | number, value: unknown, complete: Complete): void {
    const place = into as Record<string | number, unknown>;
    if (typeof value === 'object' && value !== null) {
      if (value instanceof Error) throw value;
      if (typeof (value as PromiseLike<unknown>).then === 'function') {
        place[key] = null;
        this.#waiting.push(this.#putLater(into, key, value as PromiseLike<unknown>, complete));
        return;
      }
    }
    place[key] = complete(value, this);
  }

  /** Never rejects, because nobody may be waiting for it. */
  async #putLater(into: object, key: string | number, value: PromiseLike<unknown>, complete: Complete): Promise<void> {
    try {
      this.put(into, key, await value, complete);
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  once<Value extends {}>(key: object, make: () => Value): Value {
    return getOrInsert<object, Value>(this.#once, key, make);
  }
}

const ROOT = Object.freeze({});
