// Gateway: lists that are paged by cursor from the newest row back.
import { type Cursors, fingerprint } from '#core/cursor.ts';
import { refuseParameter } from '#core/errors.ts';
import type { Principal } from '#core/principal.ts';
import type { Walk } from '#repositories/walk.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageArguments, TIME } from './paging.ts';

/** The patterns for rows ordered by time and then by a number. */
export const BY_TIME_AND_NUMBER: readonly RegExp[] = [TIME, /^\d{1,18}$/];

/** The list that a cursor belongs to: cursors are not valid for another list, filter or caller. */
export interface WalkOf {
  list: string;
  query: unknown;
  keys: readonly RegExp[];
  /** Maximum rows of a page; default MAX_PAGE_SIZE. */
  max?: number;
}

export interface WalkRequest {
  walk: Walk;
  page: number;
  of: string;
  cursors: Cursors;
}

export interface WalkPage<Node> {
  nodes: Node[];
  nextCursor: string | null;
}

/** Throws Refusal `invalid_parameter`. */
export function readWalk(
  { first, after }: Omit<PageArguments, 'page'>,
  { list, query, keys, max = MAX_PAGE_SIZE }: WalkOf,
  { principal, cursors }: { principal: Principal; cursors: Cursors },
): WalkRequest {
  const size = first ?? DEFAULT_PAGE_SIZE;
  if (size < 1 || size > max) refuseParameter('first', `A page has 1 to ${max} rows.`);
  const of = fingerprint([list, 'userId' in principal ? principal.userId : principal.kind, query]);
  if (typeof after !== 'string') return { walk: { size, after: null }, page: 1, of, cursors };
  const position = cursors.decode(after, of, keys);
  return { walk: { size, after: position.after }, page: position.page, of, cursors };
}

/**
 * Removes the additional row that shows whether there are more. `stoppedAt` is the position at which a search stopped
 * before the end of the list.
 */
export function toWalkPage<Node>(
  rows: readonly Node[],
  { walk, page, of, cursors }: WalkRequest,
  keyOf: (node: Node) => string[],
  stoppedAt: string[] | null = null,
): WalkPage<Node> {
  const nodes = rows.slice(0, walk.size);
  const last = rows.length > walk.size ? nodes.at(-1) : undefined;
  const after = last === undefined ? stoppedAt : keyOf(last);
  return { nodes, nextCursor: after === null ? null : cursors.encode({ page: page + 1, after }, of) };
}
