// REST facade: what a table row of area A says.
import type { Cursors } from '#core/cursor.ts';
import type { Scope } from '#core/scopes.ts';
import type { Examples } from '../examples.ts';
import type { Parameter } from '../parameters.ts';
import type { Tag } from '../tags.ts';

export interface Route {
  /** Also the OpenAPI operationId, and what version changes name. */
  operation: string;
  /** Basename of the document in `operations/`. */
  document: string;
  path: string;
  /** Where the reference lists it. */
  tag: Tag;
  summary: string;
  description: string;
  parameters: readonly Parameter[];
  /** The scope without which the endpoint refuses, if any. */
  scope?: Scope;
  /** Where the body goes on the wire: as it is, or under `data`. */
  envelope: 'none' | 'data';
  /** Lists carry a Link header. */
  paged: boolean;
  /** The body ends with an instant at which it was true; a list's is the sync horizon, which is read with the key. */
  stamp: 'none' | 'now' | 'horizon';
  /** Bodies of a 200. */
  examples: Examples;
  /** What no single parameter's schema can say. Throws Refusal. */
  check?: (variables: Record<string, unknown>, cursors: Cursors) => void;
}
