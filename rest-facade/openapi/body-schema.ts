// REST facade, OpenAPI: the selection set of a prepared document as JSON Schema, which describes its endpoint's
// response.
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
} from 'graphql';
import { isScope, type Scope } from '#core/scopes.ts';
import type { PreparedDocument } from '#gateway/execution/execute.ts';
import { includeVariable } from '#gateway/execution/prune.ts';
import { declaredScopes } from '#gateway/execution/scopes.ts';
import { type JsonSchema, nullable, type SchemaComponents } from './json-schema.ts';

const SCALARS: Record<string, JsonSchema> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  Timestamp: { type: 'string', format: 'date-time', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' },
  Date: { type: 'string', format: 'date' },
  Decimal: { type: 'string', pattern: '^\\d+(\\.\\d+)?$' },
  JSON: { type: 'object' },
};

export interface BodySources {
  schema: GraphQLSchema;
  components: SchemaComponents;
  /** Details that GraphQL's types leave open, by `Type.field`. */
  refinements: Readonly<Record<string, JsonSchema>>;
  /** The query parameter that sets a variable of @include, in the form in which callers write it. */
  askedWith(variable: string): string;
}

/**
 * Schema of the root field `body`, and the name of its GraphQL type. A property is required if every caller who may
 * read the object gets it. A property with a scope of its own names it in `x-scope`.
 */
export function bodySchema(
  { document, name }: PreparedDocument,
  sources: BodySources,
): { typeName: string; schema: JsonSchema } {
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const root = operation && sources.schema.getRootType(operation.operation);
  const [field] = (operation?.selectionSet.selections ?? []) as FieldNode[];
  const definition = field === undefined ? undefined : root?.getFields()[field.name.value];
  const type = definition === undefined ? undefined : getNamedType(definition.type);
  if (field === undefined || definition === undefined || !isObjectType(root) || !isObjectType(type))
    throw new Error(`operation ${name} has no object for a body`);
  const held = new Set(scopesOf(root, definition));
  return { typeName: type.name, schema: objectSchema(field, type, held, sources) };
}

function scopesOf(type: GraphQLObjectType, definition: GraphQLField<unknown, unknown>): Scope[] {
  return declaredScopes(type, definition).filter((scope) => isScope(scope));
}

/** `held`: scopes that are required for the object itself. */
function objectSchema(node: FieldNode, type: GraphQLObjectType, held: Set<Scope>, sources: BodySources): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const field of (node.selectionSet?.selections ?? []) as FieldNode[]) {
    const definition = type.getFields()[field.name.value] as GraphQLField<unknown, unknown>;
    const scopes = scopesOf(type, definition);
    const property = field.alias?.value ?? field.name.value;
    const needed = scopes.filter((scope) => !held.has(scope));
    const variable = includeVariable(field);
    properties[property] = {
      ...propertySchema(field, definition, type, held.union(new Set(scopes)), sources),
      ...(needed.length === 0 ? {} : { 'x-scope': needed.join(' ') }),
    };
    const conditions = [
      ...needed.map((scope) => `Needs the scope \`${scope}\`.`),
      ...(variable === null ? [] : [`Only with \`${sources.askedWith(variable)}\`.`]),
    ];
    describe(properties[property], conditions);
    if (conditions.length === 0) required.push(property);
  }
  const description = type.description == null ? {} : { description: type.description };
  return { type: 'object', ...description, ...(required.length === 0 ? {} : { required }), properties };
}

function describe(schema: JsonSchema, conditions: string[]): void {
  const text = [schema.description, ...conditions].filter(Boolean).join(' ');
  if (text !== '') schema.description = text;
}

function propertySchema(
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  parent: GraphQLObjectType,
  held: Set<Scope>,
  sources: BodySources,
): JsonSchema {
  const { description } = definition;
  const refined = {
    ...typeSchema(field, definition.type, held, sources),
    ...(description == null ? {} : { description }),
    ...sources.refinements[`${parent.name}.${definition.name}`],
  };
  // A field that is present only on request is never null.
  const always = isNonNullType(definition.type) || includeVariable(field) !== null;
  return always ? refined : nullable(refined);
}

function typeSchema(field: FieldNode, type: GraphQLOutputType, held: Set<Scope>, sources: BodySources): JsonSchema {
  const nullableType = getNullableType(type);
  if (isListType(nullableType)) return { type: 'array', items: typeSchema(field, nullableType.ofType, held, sources) };
  if (isObjectType(nullableType))
    return sources.components.add(nullableType.name, objectSchema(field, nullableType, held, sources));
  const scalar = SCALARS[getNamedType(type).name];
  if (scalar === undefined) throw new Error(`no JSON Schema is known for ${getNamedType(type).name}`);
  return { ...scalar };
}
