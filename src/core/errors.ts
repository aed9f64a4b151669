// Core: every refusal that a caller can receive, one row each, with its HTTP status.

type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'authorization_error'
  | 'not_found'
  | 'rate_limit_error'
  | 'api_error';

interface ErrorRow {
  status: number;
  type: ErrorType;
  message: string;
}

const row = (status: number, type: ErrorType, message: string): ErrorRow => ({ status, type, message });

/** code → status, type and default message. */
export const ERRORS = {
  malformed_request: row(400, 'invalid_request_error', 'The request could not be read.'),
  missing_version: row(400, 'invalid_request_error', 'The header X-Service-Version is required.'),
  unsupported_version: row(400, 'invalid_request_error', 'This version is not supported.'),
  unknown_parameter: row(400, 'invalid_request_error', 'This parameter is not known.'),
  missing_parameter: row(400, 'invalid_request_error', 'A required parameter is missing.'),
  invalid_parameter: row(400, 'invalid_request_error', 'A parameter has an invalid value.'),
  invalid_body: row(400, 'invalid_request_error', 'The body is not valid.'),
  already_exists: row(400, 'invalid_request_error', 'It already exists.'),
  unknown_operation: row(400, 'invalid_request_error', 'The portal has no operation of this name.'),
  wrong_password: row(400, 'invalid_request_error', 'The password is wrong.'),
  wrong_code: row(400, 'invalid_request_error', 'The code is wrong, or was used before.'),
  invalid_link: row(400, 'invalid_request_error', 'The link is not valid: it was used, replaced, or has expired.'),
  invalid_query: row(400, 'invalid_request_error', 'The GraphQL operation is not valid.'),
  query_too_complex: row(400, 'invalid_request_error', 'The GraphQL operation is larger than allowed.'),
  invalid_transition: row(409, 'invalid_request_error', 'This step is not possible in the present state.'),
  acting_as_another: row(
    409,
    'invalid_request_error',
    'You are now signed in as somebody else than when this page was loaded.',
  ),
  last_administrator: row(
    409,
    'invalid_request_error',
    'The firm needs an administrator: make another member one first.',
  ),
  too_many_keys: row(409, 'invalid_request_error', 'The firm has reached its maximum number of keys.'),
  too_many_test_clients: row(409, 'invalid_request_error', 'The firm has reached its maximum number of test clients.'),
  invalid_api_key: row(401, 'authentication_error', 'The API key is missing, malformed, unknown or revoked.'),
  expired_api_key: row(401, 'authentication_error', 'The API key has expired.'),
  not_signed_in: row(401, 'authentication_error', 'You are not signed in, or your session has ended.'),
  invalid_credentials: row(401, 'authentication_error', 'The e-mail address or the password is wrong.'),
  invalid_access_token: row(401, 'authentication_error', 'The access token is missing, unknown, revoked or expired.'),
  network_not_allowed: row(403, 'authorization_error', 'The API key may not be used from this network.'),
  plan_inactive: row(403, 'authorization_error', 'The firm has no active enterprise plan.'),
  no_active_grant: row(403, 'authorization_error', 'There is no active grant from this client for this key.'),
  grant_expired: row(403, 'authorization_error', 'The grant from this client has expired.'),
  grant_revoked: row(403, 'authorization_error', 'The client has revoked the grant.'),
  insufficient_scope: row(403, 'authorization_error', 'The granted scopes do not cover this request.'),
  asset_not_in_grant: row(403, 'authorization_error', 'The grant does not cover this asset.'),
  forbidden: row(403, 'authorization_error', 'This caller may not do this.'),
  second_factor_required: row(
    403,
    'authorization_error',
    'A second factor is required here, but you signed in without one.',
  ),
  cross_site_request: row(403, 'authorization_error', 'The request does not come from a page of the portal.'),
  asset_not_found: row(404, 'not_found', 'The client has no asset with this registry id.'),
  plant_not_found: row(404, 'not_found', 'There is no plant with this id.'),
  resource_not_found: row(404, 'not_found', 'There is no such resource.'),
  route_not_found: row(404, 'not_found', 'There is nothing at this path.'),
  method_not_allowed: row(405, 'invalid_request_error', 'This path does not support the method.'),
  request_timeout: row(408, 'invalid_request_error', 'The request did not arrive in time.'),
  payload_too_large: row(413, 'invalid_request_error', 'The body is larger than allowed.'),
  uri_too_long: row(414, 'invalid_request_error', 'The URL is longer than allowed.'),
  unsupported_media_type: row(415, 'invalid_request_error', 'The body must be application/json.'),
  rate_limit_exceeded: row(429, 'rate_limit_error', 'The rate limit is exceeded; back off and retry later.'),
  headers_too_large: row(431, 'invalid_request_error', 'The headers are larger than allowed.'),
  internal_error: row(500, 'api_error', 'Something went wrong on our side.'),
  service_unavailable: row(503, 'api_error', 'The service is not available right now; retry shortly.'),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(ERRORS, code);

export interface RefusalDetails {
  /** A sentence for the caller. It never contains a client's data. */
  message?: string;
  /** The parameter or header at fault. */
  param?: string;
  /** Seconds after which the same request would be allowed. */
  retryAfter?: number;
  /** The methods that the path supports, in the form of the Allow header. */
  allow?: string;
  /** Internal only: logged, never sent. */
  cause?: unknown;
}

/** `stackTraceLimit` is V8's; the portal's client is typed without Node. */
const STACKS = Error as ErrorConstructor & { stackTraceLimit: number };

/** An error whose message is sufficient: commands print it without a stack trace. */
export class PlainError extends Error {}

/** A refusal with a public code and message. Internal details belong in `cause`. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly retryAfter: number | undefined;
  readonly allow: string | undefined;

  constructor(code: ErrorCode, details: RefusalDetails = {}) {
    const { stackTraceLimit } = STACKS;
    // A 4xx is an ordinary outcome that is never logged, and its stack would cost more than the response body.
    if (ERRORS[code].status < 500) STACKS.stackTraceLimit = 0;
    super(details.message ?? ERRORS[code].message, details.cause === undefined ? undefined : { cause: details.cause });
    STACKS.stackTraceLimit = stackTraceLimit;
    this.name = 'Refusal';
    this.code = code;
    this.param = details.param;
    this.retryAfter = details.retryAfter;
    this.allow = details.allow;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get type(): ErrorType {
    return ERRORS[this.code].type;
  }
}

/** Throws a Refusal. Usable as an expression. */
export function refuse(code: ErrorCode, message: string): never {
  throw new Refusal(code, { message });
}

/** Throws the refusal of a parameter with an invalid value. */
export function refuseParameter(param: string, message: string): never {
  throw new Refusal('invalid_parameter', { param, message });
}
