// GraphQL client: the name of a persisted operation, with the types of its variables and body.

declare const types: unique symbol;

/** Only the name is sent; the endpoint has the document. */
export interface Operation<Body, Variables> {
  readonly name: string;
  readonly [types]?: [Body, (variables: Variables) => void];
}

/** The body of an operation: `BodyOf<typeof FirmKeys>[number]` is a key in the list. */
export type BodyOf<Of> = Of extends Operation<infer Body, infer _Variables> ? Body : never;
