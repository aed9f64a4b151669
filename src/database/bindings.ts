// Database: the values of a statement that is put together.

/** Collects the values of one statement and hands out their placeholders. */
export class Bindings {
  readonly values: unknown[] = [];

  /** The placeholder of the value, e.g. `$3`. */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
