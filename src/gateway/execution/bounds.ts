// Gateway: bounds the size of an operation from outside, with its variables, before execution.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../paging/paging.ts';
import type { OperationRequest, OutsideDocument } from './tool-documents.ts';

const MAX_DEPTH = 12;
const MAX_BREADTH = 200;
/** Multiplier of fields inside a list without the argument `first`, unless the list's field declares another. */
const LIST_MULTIPLIER = 10;
/** Multiplier inside lists of introspection: it reads no data, but can be long. */
const INTROSPECTION_MULTIPLIER = 3;

/** Declared by a field in its extensions. */
interface Price {
  /** Of the field itself; 1 by default. */
  cost?: number;
  /** Of the cost of its selection. Ignored on a field with the argument `first`, which multiplies by the page size. */
  multiplier?: number;
}

interface Size {
  cost: number;
  /** Levels, and the number of fields in all of them, without introspection, whose size the schema bounds. */
  depth: number;
  breadth: number;
}

/** An operation that may run with these variables, or the errors against it. */
export type Judged =
  | { operation: OperationDefinitionNode; variables: VariableValues; errors?: undefined }
  | { errors: readonly GraphQLError[] };

/** Checks variables, page sizes, depth, breadth and cost of an operation in a valid document. Null: there is none. */
export function judge(
  schema: GraphQLSchema,
  { document, fragments }: OutsideDocument,
  { operationName, variables: given }: OperationRequest,
  costLimit: number,
): Judged | null {
  const operation = getOperationAST(document, operationName);
  const type = operation && schema.getRootType(operation.operation);
  if (!operation || !type) return null;
  const { variableValues: variables, errors } = getVariableValues(
    schema,
    operation.variableDefinitions ?? [],
    given ?? {},
  );
  if (errors !== undefined) return { errors };
  const measure = new Measure(schema, fragments, variables);
  const { cost, depth, breadth } = measure.selections(operation.selectionSet, type);
  measure.require('complexity', cost, costLimit);
  measure.require('depth', depth, MAX_DEPTH);
  measure.require('breadth', breadth, MAX_BREADTH);
  return measure.errors.length > 0 ? measure : { operation, variables };
}

class Measure {
  readonly errors: GraphQLError[] = [];
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: VariableValues;
  /** Nested fragments double with each level, so each is measured once. */
  readonly #measured = new Map<SelectionSetNode, Size>();

  constructor(
    schema: GraphQLSchema,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    variables: VariableValues,
  ) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
  }

  require(name: string, value: number, max: number): void {
    if (value <= max) return;
    const message = `Query ${name} of ${value} exceeds max ${name} of ${max}`;
    this.errors.push(new GraphQLError(message, { extensions: { code: 'query_too_complex' } }));
  }

  selections(set: SelectionSetNode, type: GraphQLNamedType): Size {
    let size = this.#measured.get(set);
    if (size !== undefined) return size;
    size = { cost: 0, depth: 0, breadth: 0 };
    for (const selection of set.selections) {
      const one = selection.kind === Kind.FIELD ? this.#field(selection, type) : this.#fragment(selection, type);
      size.cost += one.cost;
      size.breadth += one.breadth;
      size.depth = Math.max(size.depth, one.depth);
    }
    this.#measured.set(set, size);
    return size;
  }

  #fragment(selection: Exclude<SelectionSetNode['selections'][number], FieldNode>, type: GraphQLNamedType): Size {
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
    if (fragment === undefined) throw new Error('a fragment is not in the document');
    const condition = fragment.typeCondition;
    return this.selections(fragment.selectionSet, (condition && this.#schema.getType(condition.name.value)) ?? type);
  }

  #field(node: FieldNode, type: GraphQLNamedType): Size {
    const definition = isObjectType(type) ? this.#schema.getField(type, node.name.value) : undefined;
    if (definition === undefined) throw new Error(`${type.name}.${node.name.value} is not in the schema`);
    const { cost: own, multiplier } = this.#price(definition, node);
    const inner = getNamedType(definition.type);
    const below = node.selectionSet === undefined ? NOTHING : this.selections(node.selectionSet, inner);
    const cost = own + below.cost * multiplier;
    if (isMeta(inner)) return { cost, depth: 1, breadth: 1 };
    return { cost, depth: below.depth + 1, breadth: below.breadth + 1 };
  }

  #price(definition: GraphQLField<unknown, unknown>, node: FieldNode): Required<Price> {
    const isList = isListType(getNullableType(definition.type));
    if (isMeta(getNamedType(definition.type))) return { cost: 1, multiplier: isList ? INTROSPECTION_MULTIPLIER : 1 };
    const { cost = 1, multiplier = isList ? LIST_MULTIPLIER : 1 } = definition.extensions as Price;
    if (!definition.args.some(({ name }) => name === 'first')) return { cost, multiplier };
    const args = this.#arguments(definition, node);
    return args === null ? { cost: 1, multiplier: 1 } : { cost, multiplier: this.#pageSize(args.first) };
  }

  /** Null where arguments are invalid; the error is recorded. */
  #arguments(definition: GraphQLField<unknown, unknown>, node: FieldNode): Record<string, unknown> | null {
    try {
      return getArgumentValues(definition, node, this.#variables);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      this.errors.push(error);
      return null;
    }
  }

  /** Checks the maximum of MAX_PAGE_SIZE here, before anything is read. */
  #pageSize(first: unknown): number {
    if (typeof first !== 'number') return DEFAULT_PAGE_SIZE;
    if (first < 1 || first > MAX_PAGE_SIZE) {
      const message = `A page has 1 to ${MAX_PAGE_SIZE} rows.`;
      this.errors.push(new GraphQLError(message, { extensions: { code: 'invalid_parameter' } }));
    }
    return first;
  }
}

/** A type of introspection, by the reserved prefix of its name. */
const isMeta = ({ name }: GraphQLNamedType): boolean => name.startsWith('__');

const NOTHING: Size = { cost: 0, depth: 0, breadth: 0 };
