// REST facade: a row of area A's route table.
import type { Cursors } from '#core/cursor.ts';
import type { Scope } from '#core/scopes.ts';
import type { Examples } from '../examples.ts';
import type { Parameter } from '../parameters.ts';
import type { Tag } from '../tags.ts';

export interface Route {
  /** Also the OpenAPI operationId, and the name in version changes. */
  operation: string;
  /** Basename of the document in `operations/`. */
  document: string;
  path: string;
  /** Group in the reference. */
  tag: Tag;
  summary: string;
  description: string;
  parameters: readonly Parameter[];
  /** The scope that the endpoint requires, if any. */
  scope?: Scope;
  /** Whether the body is wrapped in `data`. */
  envelope: 'none' | 'data';
  /** Whether the response is a page with a Link header. */
  paged: boolean;
  /**
   * The timestamp at the end of the body: none, the present, or the sync horizon (lists), which is read together with
   * the key.
   */
  stamp: 'none' | 'now' | 'horizon';
  /** Bodies of status 200. */
  examples: Examples;
  /** Checks that involve several parameters. Throws Refusal. */
  check?: (variables: Record<string, unknown>, cursors: Cursors) => void;
}
