// Gateway: compiles operations to functions, which do once what graphql-js does for each value.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  type VariableValues,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { getOrInsert } from '#core/get-or-insert.ts';
import { type RequestedFields, requestedFields } from './disclosed.ts';
import { fragmentsOf } from './fragments.ts';
import { isLeftOut } from './prune.ts';
import type { Complete, Run } from './run.ts';
import { type AuthScope, declaredScopes } from './scopes.ts';

const MAX_COMPILED = 8;

/**
 * An operation over the unguarded schema. Only names from its text, which may come from outside, get into the generated
 * code. It returns complete data or throws, both where graphql-js would report an error and where a feature is not
 * supported here.
 */
export interface Compiled {
  /** The caller must have all of these, because fields are not checked. */
  readonly scopes: ReadonlySet<AuthScope>;
  /** Makes the root object. To be run by `Run.data`. */
  readonly complete: Complete;
  /** What the response discloses of each item, by the response name of the root field. */
  readonly requested: ReadonlyMap<string, RequestedFields>;
}

interface CompiledField {
  /** Response name. */
  key: string;
  /** The source property with the value; null where the field has a resolver. */
  property: string | null;
  resolve: (source: unknown, run: Run) => unknown;
  complete: Complete;
}

/** What compilation needs of a valid document, and the cache of its results. */
export interface Compilable {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Variables that decide which fields are included. */
  readonly switches: readonly string[];
  /** By operation and switches; null where graphql-js has to execute the operation. */
  readonly compiled: LRUCache<string, { operation: Compiled | null }>;
}

export function compilableOf(document: DocumentNode): Compilable {
  return {
    fragments: fragmentsOf(document),
    switches: switchesOf(document),
    compiled: new LRUCache({ max: MAX_COMPILED }),
  };
}

function switchesOf(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: given = [] }) => {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}

/**
 * Declared by a field in `extensions.changesAt` whose value the clock changes: the property of the same object with the
 * instant at which it turns from true to false, or `midnight` for the end of the UTC day.
 */
export type ChangesAt = 'midnight' | (string & {});

/** Internal: graphql-js has to execute the operation. */
class NotProvidedFor extends Error {}

/**
 * The compiled operation with the fields that these variables include, cached; null where graphql-js has to execute it.
 */
export function compiledOperation(
  schema: GraphQLSchema,
  { fragments, switches, compiled }: Compilable,
  operation: OperationDefinitionNode,
  variables: VariableValues,
): Compiled | null {
  const key = `${operation.name?.value} ${switches.map((name) => variables.coerced[name])}`;
  const cached = getOrInsert(compiled, key, () => {
    const requested = requestedFields(schema, fragments, operation, variables);
    const result = compile(new Compiler(schema, fragments, variables), schema, operation);
    return { operation: result && { ...result, requested } };
  });
  return cached.operation;
}

function compile(
  compiler: Compiler,
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): Omit<Compiled, 'requested'> | null {
  const type = schema.getRootType(operation.operation);
  // Root fields of a mutation would have to run one after the other.
  const inOrder = operation.operation === OperationTypeNode.QUERY || operation.selectionSet.selections.length === 1;
  if (!isObjectType(type) || !inOrder) return null;
  try {
    return { complete: compiler.object(type, [operation.selectionSet]), scopes: compiler.scopes };
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

  /** One member per response name, in the order of first occurrence. */
  object(type: GraphQLObjectType, sets: readonly (SelectionSetNode | undefined)[]): Complete {
    const nodes = new Map<string, [FieldNode, ...FieldNode[]]>();
    const spread = new Set<string>();
    for (const set of sets) this.#collect(type, set?.selections ?? [], nodes, spread);
    return objectMaker([...nodes].map(([key, named]) => this.#field(type, key, named)));
  }

  #collect(
    type: GraphQLObjectType,
    selections: readonly SelectionNode[],
    nodes: Map<string, [FieldNode, ...FieldNode[]]>,
    spread: Set<string>,
  ): void {
    for (const selection of selections) {
      if (isLeftOut(selection, this.#variables)) continue;
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
      // Without interfaces and unions, a valid fragment always has the type in which it is spread.
      const condition = fragment?.typeCondition?.name.value ?? type.name;
      if (fragment === undefined || condition !== type.name) throw new NotProvidedFor();
      this.#collect(type, fragment.selectionSet.selections, nodes, spread);
    }
  }

  #field(type: GraphQLObjectType, key: string, nodes: readonly [FieldNode, ...FieldNode[]]): CompiledField {
    const [node] = nodes;
    const definition = this.#schema.getField(type, node.name.value);
    // In an object literal `__proto__` would set the prototype.
    if (definition === undefined || key === '__proto__') throw new NotProvidedFor();
    const { name, args, extensions, resolve } = definition;
    if (name === '__typename') return { key, property: null, resolve: () => type.name, complete: (value) => value };
    for (const scope of declaredScopes(type, definition)) this.scopes.add(scope);
    const field = { key, property: null, complete: this.#completer(definition.type, nodes) };
    const changesAt = extensions.changesAt as ChangesAt | undefined;
    if (resolve === undefined) {
      const read = propertyReader(name, changesAt);
      return { ...field, property: changesAt === undefined ? name : null, resolve: read };
    }
    if (changesAt !== undefined) throw new Error(`${type.name}.${name} changes by the clock and is resolved`);
    // The part of GraphQLResolveInfo that our resolvers use.
    const infoIn = (run: Run) =>
      run.once(nodes, () => ({ fieldNodes: nodes, variableValues: run.variables }) as unknown as GraphQLResolveInfo);
    if (args.length === 0) return { ...field, resolve: (source, run) => resolve(source, {}, run.context, infoIn(run)) };
    const argumentsIn = (run: Run) => run.once(node, () => getArgumentValues(definition, node, run.variables));
    return { ...field, resolve: (source, run) => resolve(source, argumentsIn(run), run.context, infoIn(run)) };
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

  /** For non-null values. Only resolvers may be asynchronous: promises in properties and lists are not supported. */
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
        return value.map((entry) => complete(entry, run));
      };
    }
    if (!isObjectType(type) || isIntrospectionType(type) || type.isTypeOf) throw new NotProvidedFor();
    const make = this.object(
      type,
      nodes.map(({ selectionSet }) => selectionSet),
    );
    return (value, run) => {
      if (typeof value !== 'object' || typeof (value as PromiseLike<unknown>).then === 'function')
        throw new NotProvidedFor();
      return make(value, run);
    };
  }
}

/** Reads a property, and records until when its value is valid. */
function propertyReader(name: string, changesAt: ChangesAt | undefined): CompiledField['resolve'] {
  const read = (source: unknown) => (source as Record<string, unknown>)[name];
  if (changesAt === undefined) return read;
  if (changesAt === 'midnight')
    return (source, run) => {
      run.endsWithDay = true;
      return read(source);
    };
  return (source, run) => {
    const holds = read(source);
    const { [changesAt]: instant } = source as Record<string, string | null | undefined>;
    if (instant === undefined) throw new Error(`${name} changes at ${changesAt}, which is not there`);
    if (holds === true && instant !== null) run.endsAt = Math.min(run.endsAt, Date.parse(instant) / 1000);
    return holds;
  };
}

/**
 * Generates a function with one object literal, which then adds the resolved fields. Reading and setting members by
 * variable names would cost more than everything else. GraphQL names consist of letters, digits and underscores, so
 * they are safe in code.
 */
function objectMaker(fields: readonly CompiledField[]): Complete {
  const members = fields.map(({ key, property }, at) =>
    property === null ? `${key}: null` : `${key}: complete${at}(source.${property}, run)`,
  );
  const resolved = fields.flatMap(({ key, property }, at) =>
    property === null ? `run.put(made, "${key}", resolve${at}(source, run), complete${at});` : [],
  );
  const names = fields.flatMap((_field, at) => [`resolve${at}`, `complete${at}`]);
  const values = fields.flatMap(({ resolve, complete }) => [resolve, complete]);
  const body = `return (source, run) => { const made = { ${members.join(', ')} }; ${resolved.join(' ')} return made; };`;
  return new Function(...names, body)(...values);
}
