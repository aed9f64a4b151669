// Core: what a caller of the portfolio API can do about each error, for the reference and the portal.
import type { ErrorCode } from './errors.ts';

export const REMEDIES = {
  route_not_found: 'Compare the path with the endpoints of the reference, including a slash at its end.',
  method_not_allowed: 'Use one of the methods that the header Allow names; the portfolio API is read with GET or HEAD.',
  request_timeout: 'Send the whole request at once. If the network is slow, try again.',
  payload_too_large: 'Send a GET without a body, or less in one request.',
  uri_too_long: 'Ask for less in one request: fewer codes in a parameter, no parameters that you do not need.',
  headers_too_large:
    'Send fewer or shorter headers; cookies do not belong on these requests. A URL of more than 64 KiB gets this code, too.',
  malformed_request:
    'Percent-encode the values in the URL (the + of a time zone is %2B), leave out the fragment (from # on), and send exactly one Host header.',
  missing_version: 'Send the header X-Service-Version with every request.',
  unsupported_version: 'Send one of the dates that the message lists.',
  unknown_parameter: 'Compare the query string with the reference; a typing error is the usual cause.',
  missing_parameter: 'Add the parameter that error.param names.',
  invalid_parameter:
    'Correct the parameter that error.param names; the message says what is wrong with it. For cursor, start again at the first page.',
  invalid_api_key: 'Check which secret the system sends; a revoked key stays revoked.',
  expired_api_key: 'Use the secret of the successor, or create a new key.',
  network_not_allowed:
    'Call from one of the networks on the page of the key, or add the network there; if the address is not yours, rotate the key.',
  plan_inactive: 'Have the enterprise plan activated; keys and grants remain as they are.',
  no_active_grant: 'Ask the client for access, or stop requesting the data of this client.',
  grant_expired: 'Ask the client for access again; the portal shows under Access which grants expire soon.',
  grant_revoked: 'Stop requesting the data of this client; if you need them, ask for access again.',
  insufficient_scope:
    'Request only what is granted. For more, ask the client for the scope that the message names; if the key itself lacks it, create a key that has it, because the scopes of a key do not change.',
  asset_not_in_grant: 'The client granted other items. Read the list of assets to see which.',
  asset_not_found: 'The item was deleted or belongs to another client. Delta sync lists the items that were removed.',
  rate_limit_exceeded: 'Wait as long as Retry-After says. Spread the work, or ask for a higher tier.',
  internal_error: 'Try again; if it persists, send us the request id.',
  service_unavailable: 'Try again after the number of seconds in Retry-After.',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** The codes of the portfolio API. */
export type PortfolioCode = keyof typeof REMEDIES;

const isExplained = (code: string): code is PortfolioCode => Object.hasOwn(REMEDIES, code);

/** What to do about an error; null for codes that are not the portfolio API's. */
export const remedyOf = (code: string): string | null => (isExplained(code) ? REMEDIES[code] : null);

/** The fragment of the reference that explains the code; null for codes that are not the portfolio API's. */
export const errorAnchor = (code: string): string | null => (isExplained(code) ? `error-${code}` : null);

/** The address of that explanation in the reference. */
export const errorReference = (code: string): string | null =>
  isExplained(code) ? `/docs#${errorAnchor(code)}` : null;
