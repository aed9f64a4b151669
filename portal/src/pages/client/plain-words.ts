// Client: scopes and refusals in plain words for owners.
import type { ErrorCode } from '#core/errors.ts';
import { upperFirst } from '#core/first-letter.ts';
import { SCOPE_PLAIN_MEANINGS, SCOPE_PLAIN_WORDS, SCOPES, type Scope } from '#core/scopes.ts';
import type { ScopeWords } from '../../components/grants/scopes.tsx';
import { list } from '../../components/locale.ts';
import { countOf } from '../../components/numbers.tsx';
import type { AccessRecordQuery } from '../../generated/operations.ts';

/** `What it is worth`: a scope on its own. */
export const scopeText = (scope: string): string => upperFirst(SCOPE_PLAIN_WORDS[scope as Scope] ?? scope);

/** For the components that list scopes or let people choose them. */
export const CLIENT_WORDS: ScopeWords = { nameOf: scopeText, meanings: SCOPE_PLAIN_MEANINGS };

/** `What you own, what it is worth and 2 more`. */
export function scopesText(scopes: readonly string[], max: number = SCOPES.length): string {
  if (scopes.length === 0) return 'Nothing';
  if (scopes.length === SCOPES.length) return 'Everything that can be shared';
  const words = scopes.slice(0, max).map((scope) => SCOPE_PLAIN_WORDS[scope as Scope] ?? scope);
  const rest = scopes.length - words.length;
  return upperFirst(list.format(rest > 0 ? [...words, `${rest} more`] : words));
}

const REFUSED: Partial<Record<ErrorCode, string>> = {
  no_active_grant: 'It had no access.',
  grant_expired: 'Its access had expired.',
  grant_revoked: 'Its access was revoked.',
  insufficient_scope: 'It was not given these details of your items.',
  asset_not_in_grant: 'The item was not among those that it was given to see.',
  asset_not_found: 'You have no item with this number.',
  plan_inactive: 'The firm’s contract was not active.',
  expired_api_key: 'The key had expired.',
  network_not_allowed: 'The call came from a network that the key may not be used from.',
  rate_limit_exceeded: 'The key called too often.',
  internal_error: 'Portico could not answer. Nothing was read.',
  service_unavailable: 'Portico could not answer. Nothing was read.',
};

/** Why a call was refused. Other codes are mistakes of the calling program. */
export const refusedText = (code: string | null): string =>
  REFUSED[code as ErrorCode] ?? 'There was a mistake in the call.';

const READ: Record<string, string> = {
  'GET /api/v1/assets': 'The list of items',
  'GET /api/v1/assets/{registry_id}': 'One item',
  'GET /api/v1/assets/{registry_id}/valuations': 'Valuations of an item',
  'GET /api/v1/assets/{registry_id}/documents': 'Papers of an item',
  'GET /api/v1/portfolio/summary': 'The portfolio summary',
};

/** Calls by Portico's staff, who look at the firm's view. */
const READ_BY_STAFF: Record<string, string> = {
  'GraphQL assets': 'The list of items',
  'GraphQL asset': 'One item',
  'GraphQL portfolioSummary': 'The portfolio summary',
};

type Call = AccessRecordQuery['body']['nodes'][number];

/** Answered without any item, such as a delta in which nothing had changed. */
const carriedNothing = ({ contents, status }: Pick<Call, 'contents' | 'status'>): boolean =>
  contents === 'nothing' && status < 400;

/** What the caller could see, or why the call was refused; null if the response carried nothing. Names `max` scopes. */
export function outcomeNote(call: Call, max?: number): string | null {
  if (carriedNothing(call)) return null;
  return call.outcome === 'allowed' ? scopesText(call.scopes, max) : refusedText(call.errorCode);
}

/** A note on what the response to a call carried; null where its item, or the number of its items, says all. */
export function contentsText({ contents, status, registryId }: Call): string | null {
  if (carriedNothing({ contents, status })) return 'Nothing of yours was in the answer';
  if (contents === 'totals') return 'Totals over everything shared; no single item';
  if (contents === 'unrecorded' && registryId === null)
    return 'Not all of its items are on record: may have carried any item shared then';
  return contents === 'items' && status === 304 ? 'Confirmed unchanged since an earlier answer' : null;
}

/** The number of items in the response to a call for a list; null for other calls, and where they are not on record. */
export function itemsText({ contents, registryId, itemCount }: Call): string | null {
  if (contents !== 'items' || registryId !== null) return null;
  return itemCount ? countOf(itemCount, 'item') : 'Items that are gone';
}

/** All endpoints, with what a call reads. */
export const ENDPOINTS: readonly { value: string; label: string }[] = Object.entries(READ).map(([value, label]) => ({
  value,
  label,
}));

/** What a call of the endpoint reads. */
export const readText = (endpoint: string): string =>
  READ[endpoint.replace(/^HEAD /, 'GET ')] ?? READ_BY_STAFF[endpoint] ?? endpoint;
