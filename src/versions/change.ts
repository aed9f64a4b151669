// Versions: what one later version changed, and how its requests and responses become its predecessor's.

type Json = unknown;

/** Every value of every query parameter, as sent. */
export type Query = ReadonlyMap<string, readonly string[]>;

/** How one operation differs between a version and its predecessor. */
export interface OperationChange {
  /** The predecessor's query parameters as the newer version's; runs before parameters are checked. */
  request?: (query: Query) => Query;
  /** The newer version's body as the predecessor's. May change the body in place. */
  response?: (body: Json) => Json;
  /** The newer version's OpenAPI operation as the predecessor's. */
  describe?: (operation: Json) => Json;
}

export interface VersionChange {
  /** Becomes a bullet of the changelog. */
  description: string;
  /** By operation name, e.g. ListAssets. */
  operations: Record<string, OperationChange>;
}

export interface Version {
  /** YYYY-MM-DD: what callers send. */
  date: string;
  /** What this version changed against the one before it; the first has none. */
  changes: VersionChange[];
  /** Dates (YYYY-MM-DD) of deprecation and of the end; both, or neither. */
  retirement?: { deprecated: string; sunset: string };
}
