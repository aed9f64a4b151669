// Gateway: a query made into functions: what graphql-js works out anew for each value, worked out once.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';
import type { LRUCache } from 'lru-cache';
import type { Context } from './context.ts';
import { declaredScopes } from './prune.ts';
import { type CompiledField, type Complete, Run } from './run.ts';
import type { AuthScope } from './scopes.ts';

/**
 * A query over the unguarded schema. No code is generated: its text comes from outside. It gives data or nothing: what
 * graphql-js would make an error of, and what is not provided for here, throws, and is for graphql-js to answer.
 */
export interface Compiled {
  /** Who runs it must hold all of these: its fields are not checked. */
  readonly scopes: ReadonlySet<AuthScope>;
  run(context: Context, variables: VariableValues): Promise<object>;
}

/** What compiling needs of a valid document, and where it keeps what it made. */
export interface Compilable {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Variables that decide which fields there are. */
  readonly switches: readonly string[];
  /** By operation and switches; null where it has to be executed afresh. */
  readonly compiled: LRUCache<string, { query: Compiled | null }>;
}

/** Says that graphql-js has to answer; never told to a caller. */
class NotProvidedFor extends Error {}

/** The query with the fields that these variables switch on, kept for when they come again; null: graphql-js has to execute it. */
export function compiledQuery(
  schema: GraphQLSchema,
  { fragments, switches, compiled }: Compilable,
  operation: OperationDefinitionNode,
  variables: VariableValues,
): Compiled | null {
  const key = `${operation.name?.value} ${switches.map((name) => variables.coerced[name])}`;
  let kept = compiled.get(key);
  if (kept === undefined) {
    kept = { query: compile(new Compiler(schema, fragments, variables), schema, operation) };
    compiled.set(key, kept);
  }
  return kept.query;
}

function compile(compiler: Compiler, schema: GraphQLSchema, operation: OperationDefinitionNode): Compiled | null {
  const type = schema.getQueryType();
  if (operation.operation !== 'query' || !isObjectType(type)) return null;
  try {
    const fields = compiler.fields(type, [operation.selectionSet]);
    return { scopes: compiler.scopes, run: (context, values) => new Run(context, values).data(fields) };
  } catch (error) {
    if (error instanceof NotProvidedFor) return null;
    throw error;
  }
}

class Compiler {
  readonly scopes = new Set<AuthScope>();
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: VariableValues;

  constructor(
    schema: GraphQLSchema,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    variables: VariableValues,
  ) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
  }

  /** One field for each response name, in the order in which the names first come. */
  fields(type: GraphQLObjectType, sets: readonly (SelectionSetNode | undefined)[]): CompiledField[] {
    const nodes = new Map<string, [FieldNode, ...FieldNode[]]>();
    const spread = new Set<string>();
    for (const set of sets) this.#collect(type, set?.selections ?? [], nodes, spread);
    return [...nodes].map(([key, named]) => this.#field(type, key, named));
  }

  #collect(
    type: GraphQLObjectType,
    selections: readonly SelectionNode[],
    nodes: Map<string, [FieldNode, ...FieldNode[]]>,
    spread: Set<string>,
  ): void {
    for (const selection of selections) {
      if (getDirectiveValues(GraphQLSkipDirective, selection, this.#variables)?.if === true) continue;
      if (getDirectiveValues(GraphQLIncludeDirective, selection, this.#variables)?.if === false) continue;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const named = nodes.get(key);
        if (named === undefined) nodes.set(key, [selection]);
        else named.push(selection);
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (spread.has(selection.name.value)) continue;
        spread.add(selection.name.value);
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
      // Without interfaces and unions, a valid fragment is always of the type that it is spread in.
      const condition = fragment?.typeCondition?.name.value ?? type.name;
      if (fragment === undefined || condition !== type.name) throw new NotProvidedFor();
      this.#collect(type, fragment.selectionSet.selections, nodes, spread);
    }
  }

  #field(type: GraphQLObjectType, key: string, nodes: readonly [FieldNode, ...FieldNode[]]): CompiledField {
    const [node] = nodes;
    const definition = this.#schema.getField(type, node.name.value);
    // Written into an object, `__proto__` would be no key.
    if (definition === undefined || key === '__proto__') throw new NotProvidedFor();
    const { name, args, resolve } = definition;
    if (name === '__typename') return { key, read: () => type.name, complete: (value) => value };
    const complete = this.#completer(definition.type, nodes);
    for (const scope of declaredScopes(definition.extensions, `${type.name}.${name}`)) this.scopes.add(scope);
    if (resolve === undefined) return { key, read: (source) => property(source, name), complete };
    // What resolvers of ours look at, as graphql-jit gives it to them.
    const infoIn = ({ variables: { coerced } }: Run) =>
      ({ fieldNodes: nodes, variableValues: coerced }) as unknown as GraphQLResolveInfo;
    if (args.length === 0)
      return { key, read: (source, run) => resolve(source, {}, run.context, infoIn(run)), complete };
    const argumentsIn = (run: Run) => run.once(node, () => getArgumentValues(definition, node, run.variables));
    return { key, read: (source, run) => resolve(source, argumentsIn(run), run.context, infoIn(run)), complete };
  }

  #completer(type: GraphQLOutputType, nodes: readonly FieldNode[]): Complete {
    if (!isNonNullType(type)) {
      const complete = this.#valueCompleter(type, nodes);
      return (value, run) => (value === null || value === undefined ? null : complete(value, run));
    }
    const complete = this.#valueCompleter(type.ofType, nodes);
    return (value, run) => {
      if (value === null || value === undefined) throw new NotProvidedFor();
      return complete(value, run);
    };
  }

  /** For values that are not null. */
  #valueCompleter(type: GraphQLOutputType, nodes: readonly FieldNode[]): Complete {
    if (isLeafType(type)) {
      return (value) => {
        const written = type.coerceOutputValue(value);
        if (written === null || written === undefined) throw new NotProvidedFor();
        return written;
      };
    }
    if (isListType(type)) {
      const complete = this.#completer(type.ofType, nodes);
      return (value, run) => {
        if (!Array.isArray(value)) throw new NotProvidedFor();
        const list: unknown[] = [];
        for (let at = 0; at < value.length; at++) run.put(list, at, value[at], complete);
        return list;
      };
    }
    if (!isObjectType(type) || isIntrospectionType(type) || type.isTypeOf) throw new NotProvidedFor();
    const fields = this.fields(
      type,
      nodes.map(({ selectionSet }) => selectionSet),
    );
    return (value, run) => run.object(fields, value);
  }
}

function property(source: unknown, name: string): unknown {
  const value = (source as Record<string, unknown>)[name];
  if (typeof value === 'function') throw new NotProvidedFor();
  return value;
}
