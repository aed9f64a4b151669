// REST facade, OpenAPI: JSON Schemas, and the named schemas shared by operations.

export type JsonSchema = Record<string, unknown>;

/** The schema, with null allowed. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { type, description, ...rest } = schema;
  const described = description === undefined ? {} : { description };
  if (typeof type === 'string' && rest.enum === undefined) return { type: [type, 'null'], ...described, ...rest };
  return { ...described, anyOf: [type === undefined ? rest : { type, ...rest }, { type: 'null' }] };
}

/** Collects `components.schemas`. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonSchema> = {};

  /** Adds a schema under a name, and returns a reference to it. Throws if the name already has another schema. */
  add(name: string, schema: JsonSchema): JsonSchema {
    const existing = this.schemas[name];
    if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(schema))
      throw new Error(`two operations select ${name} differently: one component cannot describe both`);
    this.schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** Replaces every reference to a component by its schema. Components have no circular references. */
export function inlined(value: unknown, schemas: Readonly<Record<string, JsonSchema>>): unknown {
  if (Array.isArray(value)) return value.map((entry) => inlined(entry, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as { $ref?: string };
  const own = Object.fromEntries(Object.entries(rest).map(([key, entry]) => [key, inlined(entry, schemas)]));
  const name = $ref?.match(/^#\/components\/schemas\/(\w+)$/)?.[1];
  if (name === undefined) return $ref === undefined ? own : { $ref, ...own };
  return { ...(inlined(schemas[name], schemas) as object), ...own };
}
