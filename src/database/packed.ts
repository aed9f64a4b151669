// Database: many objects of few shapes as short text.

/** Shapes that a packing learns; whatever comes after them is kept as it is. */
const MAX_SHAPES = 1_000;
const LIST = -1;
const AS_IT_IS = -2;

type Make = (members: readonly unknown[]) => unknown;

/**
 * JSON, except that an object is the list of its members' values behind the number of its shape. Of rows with many columns a
 * third to a half is names, which are neither kept nor read again and again.
 */
export class Packing {
  readonly #shapes = new Map<string, number>();
  readonly #makers: Make[] = [];

  /** `value` is made of JSON's types alone. Only this packing can unpack the text. */
  pack(value: unknown): string {
    return JSON.stringify(this.#flatten(value));
  }

  unpack(text: string): unknown {
    return this.#restore(JSON.parse(text));
  }

  #flatten(value: unknown): unknown {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return [LIST, ...value.map((entry) => this.#flatten(entry))];
    const shape = this.#shapeOf(Object.keys(value));
    if (shape === AS_IT_IS) return [AS_IT_IS, value];
    return [shape, ...Object.values(value).map((member) => this.#flatten(member))];
  }

  #shapeOf(names: string[]): number {
    const name = JSON.stringify(names);
    const known = this.#shapes.get(name);
    if (known !== undefined) return known;
    // An object literal takes this name for something else.
    if (this.#makers.length === MAX_SHAPES || names.includes('__proto__')) return AS_IT_IS;
    const shape = this.#makers.length;
    const members = names.map((member, at) => `${JSON.stringify(member)}: restore(list[${at + 1}])`);
    const make = new Function('restore', `return (list) => ({ ${members.join(', ')} })`);
    this.#makers.push(make((member: unknown) => this.#restore(member)));
    this.#shapes.set(name, shape);
    return shape;
  }

  #restore(flat: unknown): unknown {
    if (flat === null || typeof flat !== 'object') return flat;
    const [shape] = flat as [number];
    if (shape >= 0) return (this.#makers[shape] as Make)(flat as unknown[]);
    if (shape === AS_IT_IS) return (flat as unknown[])[1];
    const list = flat as unknown[];
    const entries = new Array<unknown>(list.length - 1);
    for (let at = 1; at < list.length; at++) entries[at - 1] = this.#restore(list[at]);
    return entries;
  }
}
