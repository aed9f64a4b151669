// GraphQL client: the name of a persisted operation, with the types of its variables and body.

declare const types: unique symbol;

/** Only the name is sent; the endpoint has the document. */
export interface Operation<Body, Variables> {
  readonly name: string;
  readonly [types]?: [Body, (variables: Variables) => void];
}
