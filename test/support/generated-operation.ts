// Test support: random queries of a schema from a seed: usually valid, with all syntax that GraphQL allows.

import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Chance } from '#test/guarantees/chance.ts';

export interface GeneratedOperation {
  query: string;
  variables: Record<string, unknown>;
}

export interface Vocabulary {
  /** Names of the root fields to choose from. */
  roots: readonly string[];
  /** The maximum number of root fields; if two are refused, the response may name either. */
  maxRoots: number;
  /** Values by argument name; other arguments are left out. */
  values: Readonly<Record<string, readonly unknown[]>>;
  /** Fields to leave out because their value changes between requests, as `Type.field`. */
  never?: readonly string[];
}

const MAX_DEPTH = 6;
const NAMES = ['a', 'b', 'title', 'toString', 'constructor', 'id_1', '__proto__', 'z'];

export function generateOperation(schema: GraphQLSchema, chance: Chance, vocabulary: Vocabulary): GeneratedOperation {
  return new Writer(schema, chance, vocabulary).operation();
}

class Writer {
  readonly #schema: GraphQLSchema;
  readonly #chance: Chance;
  readonly #vocabulary: Vocabulary;
  readonly #variables = new Map<string, { type: string; value: unknown; byDefault: boolean }>();
  readonly #fragments: string[] = [];
  /** Names of the fragments written so far, by type, for further spreads. */
  readonly #spreads = new Map<string, string[]>();
  #aliases = 0;

  constructor(schema: GraphQLSchema, chance: Chance, vocabulary: Vocabulary) {
    this.#schema = schema;
    this.#chance = chance;
    this.#vocabulary = vocabulary;
  }

  operation(): GeneratedOperation {
    const type = this.#schema.getQueryType() as GraphQLObjectType;
    const selections = this.#selections(type, 0);
    const declared = [...this.#variables].map(
      ([name, { type, value, byDefault }]) => `$${name}: ${type}${byDefault ? ` = ${literal(value)}` : ''}`,
    );
    const given = [...this.#variables].filter(([, { byDefault }]) => !byDefault || this.#chance.likely(0.3));
    const head = declared.length > 0 ? `query Q(${declared.join(', ')})` : this.#chance.pick(['query Q', 'query', '']);
    return {
      query: [`${head} ${selections}`, ...this.#fragments].join('\n'),
      variables: Object.fromEntries(given.map(([name, { value }]) => [name, value])),
    };
  }

  #selections(type: GraphQLObjectType, depth: number): string {
    const { roots, maxRoots, never = [] } = this.#vocabulary;
    const fields = Object.values(type.getFields()).filter(({ name, type: of }) => {
      if (depth === 0) return roots.includes(name);
      return !never.includes(`${type.name}.${name}`) && (depth < MAX_DEPTH || isLeafType(getNamedType(of)));
    });
    const count = depth === 0 ? 1 + this.#chance.below(maxRoots) : 1 + this.#chance.below(6);
    const parts = Array.from({ length: count }, () => this.#part(type, fields, depth));
    // __typename keeps the selection from becoming empty when everything else is skipped.
    return `{ ${parts.join(' ')} ${depth === 0 ? '' : '__typename'} }`;
  }

  #part(type: GraphQLObjectType, fields: readonly GraphQLField<unknown, unknown>[], depth: number): string {
    const chance = this.#chance;
    if (chance.likely(0.08))
      return `... ${chance.pick(['', `on ${type.name}`])} ${this.#switch()} ${this.#inner(type, fields, depth)}`;
    if (chance.likely(0.08)) return `...${this.#fragment(type, fields, depth)} ${this.#switch()}`;
    return this.#field(chance.pick(fields), depth);
  }

  #inner(type: GraphQLObjectType, fields: readonly GraphQLField<unknown, unknown>[], depth: number): string {
    const parts = Array.from({ length: 1 + this.#chance.below(3) }, () => this.#part(type, fields, depth));
    return `{ ${parts.join(' ')} }`;
  }

  #fragment(type: GraphQLObjectType, fields: readonly GraphQLField<unknown, unknown>[], depth: number): string {
    const written = this.#spreads.get(type.name) ?? [];
    if (written.length > 0 && this.#chance.likely(0.5)) return this.#chance.pick(written);
    const name = `F${this.#fragments.length}`;
    const at = this.#fragments.push('') - 1;
    this.#fragments[at] = `fragment ${name} on ${type.name} ${this.#inner(type, fields, depth)}`;
    this.#spreads.set(type.name, [...written, name]);
    return name;
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const type = getNamedType(field.type);
    const given = field.args.flatMap((argument) => this.#argument(argument));
    const args = given.length > 0 ? `(${given.join(', ')})` : '';
    const alias = this.#aliases < 25 && (args !== '' || this.#chance.likely(0.15)) ? `${this.#alias(args)}: ` : '';
    const below = isObjectType(type) ? this.#selections(type, depth + 1) : '';
    return `${alias}${field.name}${args} ${this.#switch()} ${below}`;
  }

  /** Each field with arguments gets its own alias, so that no two of them conflict. */
  #alias(args: string): string {
    this.#aliases += 1;
    return args === '' && this.#chance.likely(0.3) ? this.#chance.pick(NAMES) : `x${this.#aliases}`;
  }

  #argument({ name, type }: GraphQLArgument): string[] {
    const values = this.#vocabulary.values[name];
    if (values === undefined || (!isNonNullType(type) && this.#chance.likely(0.6))) return [];
    const value = this.#chance.pick(values);
    if (value === null && isNonNullType(type)) return [];
    if (this.#chance.likely(0.5)) return [`${name}: ${literal(value)}`];
    return [`${name}: $${this.#variable(String(type), value, value !== null && this.#chance.likely(0.3))}`];
  }

  #switch(): string {
    if (this.#chance.likely(0.85)) return '';
    const value = this.#chance.likely(0.5);
    const condition = this.#chance.likely(0.4) ? `${value}` : `$${this.#variable('Boolean!', value, false)}`;
    return `@${this.#chance.pick(['skip', 'include'])}(if: ${condition})`;
  }

  #variable(type: string, value: unknown, byDefault: boolean): string {
    const name = `v${this.#variables.size}`;
    this.#variables.set(name, { type, value, byDefault });
    return name;
  }
}

function literal(value: unknown): string {
  return JSON.stringify(value);
}
