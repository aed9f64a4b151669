// Gateway: the requested slice of a list, checked in the same way for REST and GraphQL.
import { type Cursors, fingerprint, type Position } from '#core/cursor.ts';
import { refuseParameter } from '#core/errors.ts';
import { MAX_PAGE_SIZE, type Slice } from '#repositories/assets/assets.ts';

export { MAX_PAGE_SIZE };

export const DEFAULT_PAGE_SIZE = 25;
/** The maximum of GraphQL's Int. */
export const MAX_PAGE = 2 ** 31 - 1;

export interface PageArguments {
  first?: number | null | undefined;
  after?: string | null | undefined;
  page?: number | null | undefined;
}

export interface PageRequest {
  page: number;
  slice: Slice;
  /** Fingerprint of the query to which its cursors are bound. */
  of: string;
  cursors: Cursors;
  sync: Position['sync'];
}

/** Patterns of the parts of a sort key, for the check of cursors. */
export const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const ID = /^[a-z]{3}_[0-9A-Z]{26}$/;
const ASSET_KEY = [ID];
export const BY_TIME = [TIME, ID];

export interface AssetListArguments extends PageArguments {
  clientId: string;
  categories?: string[] | null | undefined;
  minValue?: string | null | undefined;
  maxValue?: string | null | undefined;
  updatedSince?: string | null | undefined;
}

/** The slice of a list of assets. Throws Refusal `invalid_parameter`. */
export function readAssetPage(args: AssetListArguments, cursors: Cursors): PageRequest {
  const { clientId, categories = null, minValue = null, maxValue = null, updatedSince = null } = args;
  const keys = updatedSince === null ? ASSET_KEY : BY_TIME;
  return readPage(args, ['assets', clientId, categories, minValue, maxValue, updatedSince], keys, cursors);
}

export interface ValuationListArguments extends PageArguments {
  clientId: string;
  registryId: string;
  source?: string | null | undefined;
  since?: string | null | undefined;
}

/** The slice of a valuation history. Throws Refusal `invalid_parameter`. */
export function readValuationPage(args: ValuationListArguments, cursors: Cursors): PageRequest {
  const { clientId, registryId, source = null, since = null } = args;
  return readPage(args, ['valuations', clientId, registryId, source, since], BY_TIME, cursors);
}

/** The slice of a page by its number. Throws Refusal `invalid_parameter`. */
export function readNumberedPage({ first, page }: Omit<PageArguments, 'after'>) {
  const size = requireCount(first ?? DEFAULT_PAGE_SIZE);
  const number = page ?? 1;
  if (number < 1 || number > MAX_PAGE) refuseParameter('page', `Pages count from 1 to ${MAX_PAGE}.`);
  return { page: number, slice: { size, offset: (number - 1) * size } };
}

/** `query` is everything that defines the list except paging. Cursors are bound to it. */
function readPage(
  { first, after, page }: PageArguments,
  query: unknown,
  keys: RegExp[],
  cursors: Cursors,
): PageRequest {
  const size = requireCount(first ?? DEFAULT_PAGE_SIZE);
  const of = fingerprint([query, size]);
  if (typeof after === 'string') {
    if (typeof page === 'number') refuseParameter('cursor', 'Give either page or cursor, not both.');
    const position = cursors.decode(after, of, keys);
    return { page: position.page, slice: { size, after: position.after }, of, cursors, sync: position.sync };
  }
  return { ...readNumberedPage({ first, page }), of, cursors, sync: undefined };
}

/** A number of rows within bounds. Throws Refusal `invalid_parameter`. */
export function requireCount(count: number): number {
  if (count >= 1 && count <= MAX_PAGE_SIZE) return count;
  refuseParameter('page_size', `A page has 1 to ${MAX_PAGE_SIZE} rows.`);
}
