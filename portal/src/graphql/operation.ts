// GraphQL client: the name of a persisted operation, and what it takes and gives.

declare const types: unique symbol;

/** Only the name is sent; the endpoint knows the text. */
export interface Operation<Body, Variables> {
  readonly name: string;
  readonly [types]?: [Body, (variables: Variables) => void];
}

/** What an operation gives: `BodyOf<typeof FirmKeys>[number]` is a key as the list shows it. */
export type BodyOf<Of> = Of extends Operation<infer Body, infer _Variables> ? Body : never;
