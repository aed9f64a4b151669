// Firm: what to do about each error of the portfolio API.
import type { ErrorCode } from '#core/errors.ts';

const REMEDIES: Partial<Record<ErrorCode, string>> = {
  missing_version: 'Send the header X-Service-Version with every request.',
  unsupported_version: 'Send one of the dates that the message lists.',
  unknown_parameter: 'Compare the query string with the API reference; a typing error is the usual cause.',
  missing_parameter: 'Add the parameter that error.param names.',
  invalid_parameter: 'Correct the parameter that error.param names; the message says what is wrong with it.',
  invalid_api_key: 'Check which secret the system sends; a revoked key stays revoked.',
  expired_api_key: 'Put the secret of the successor in place, or create a new key.',
  plan_inactive: 'Have the enterprise plan activated; keys and grants stay as they are meanwhile.',
  no_active_grant: 'Ask the client for access, or stop asking for this client.',
  grant_expired: 'Ask the client again; under Access you see which grants end soon.',
  grant_revoked: 'The client has ended the access. Stop asking for their data, and ask for access anew if you need it.',
  insufficient_scope: 'Ask for what is granted only, or ask the client for the scope that the message names.',
  asset_not_in_grant: 'The client granted other items. Read the list of assets to see which.',
  asset_not_found: 'The item is deleted or belongs to somebody else. Delta sync tells which items have gone.',
  rate_limit_exceeded: 'Wait as long as Retry-After says and back off; spread the work, or ask for a higher tier.',
  internal_error: 'Nothing that you did. Try again, and tell us the request id if it goes on.',
  service_unavailable: 'Try again after the seconds that Retry-After gives.',
};

/** A sentence on what to do; empty where there is none. */
export const remedyOf = (code: string): string => REMEDIES[code as ErrorCode] ?? '';
