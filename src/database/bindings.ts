// Database: the values of a composed statement.

/** Collects the values of a statement and returns their placeholders. */
export class Bindings {
  readonly values: unknown[] = [];

  /** The placeholder of the value, e.g. `$3`. */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
