// Versions: what a version changed, and how requests and responses are converted to its predecessor.

type Json = unknown;

/** Every value of every query parameter, as sent. */
export type Query = ReadonlyMap<string, readonly string[]>;

/** How one operation differs between a version and its predecessor. */
export interface OperationChange {
  /** Converts the predecessor's query parameters to the newer version's. Runs before parameters are checked. */
  request?: (query: Query) => Query;
  /** Converts the newer version's body to the predecessor's. May change the body in place. */
  response?: (body: Json) => Json;
  /** Converts the newer version's OpenAPI operation to the predecessor's. */
  describe?: (operation: Json) => Json;
}

export interface VersionChange {
  /** Becomes a bullet of the changelog. */
  description: string;
  /** By operation name, e.g. ListAssets. */
  operations: Record<string, OperationChange>;
}

export interface Version {
  /** YYYY-MM-DD, as sent by callers. */
  date: string;
  /** Changes against the previous version; none in the first. */
  changes: VersionChange[];
  /** Dates (YYYY-MM-DD) of deprecation and of the end of service. */
  retirement?: { deprecated: string; sunset: string };
}
