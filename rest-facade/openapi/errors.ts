// REST facade, OpenAPI: error responses, one for each status, with examples of all its codes.
import { ERRORS, type ErrorCode, Refusal, type RefusalDetails } from '#core/errors.ts';
import type { PortfolioCode } from '#core/remedies.ts';
import { errorBody } from '#http/refusals.ts';
import { VERSION_HEADER } from '#versions/negotiate.ts';
import { plantPolicy } from '../plants/plants.ts';
import { headersFor, plantHeaders, portfolioErrorHeaders, refusalHeaders } from './headers.ts';
import type { JsonSchema } from './json-schema.ts';

const REQUEST_ID = 'req_01KCZ7Q0V3M4N5P6R7S8T9V0W1';

/** Codes of checks before that of the key. */
const BEFORE_KEY: readonly PortfolioCode[] = [
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'route_not_found',
  'method_not_allowed',
];

/** Codes possible at any path, for requests that reach no endpoint. */
const UNREACHED: readonly PortfolioCode[] = [...BEFORE_KEY, 'payload_too_large'];

/** The codes of the portfolio API in the order in which a request is checked. */
export const PORTFOLIO_CODES: readonly PortfolioCode[] = [
  ...BEFORE_KEY,
  'invalid_api_key',
  'expired_api_key',
  'network_not_allowed',
  'rate_limit_exceeded',
  'missing_version',
  'unsupported_version',
  'payload_too_large',
  'malformed_request',
  'unknown_parameter',
  'missing_parameter',
  'invalid_parameter',
  'plan_inactive',
  'no_active_grant',
  'grant_expired',
  'grant_revoked',
  'insufficient_scope',
  'asset_not_found',
  'asset_not_in_grant',
  'internal_error',
  'service_unavailable',
];

const ASSET_CODES: readonly PortfolioCode[] = ['asset_not_found', 'asset_not_in_grant'];

/** Codes possible at any endpoint of the portfolio API. */
const EVERYWHERE = PORTFOLIO_CODES.filter((code) => !UNREACHED.includes(code) && !ASSET_CODES.includes(code));

/** Codes of the statuses that differ at endpoints of a single asset: 403 and 404. */
const OF_ONE_ASSET = PORTFOLIO_CODES.filter(
  (code) => ASSET_CODES.includes(code) || (EVERYWHERE.includes(code) && ERRORS[code].status === 403),
);

const PLANT_CODES: readonly ErrorCode[] = [
  'invalid_access_token',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
];

type Details = Partial<Record<ErrorCode, RefusalDetails>>;

/** Messages of refusals that are more specific than the row's. */
const DETAILS: Details = {
  missing_version: { param: VERSION_HEADER },
  unknown_parameter: { message: 'The parameter "colour" is not known.', param: 'colour' },
  missing_parameter: { message: 'The parameter client_id is required.', param: 'client_id' },
  invalid_parameter: { message: 'page_size is a whole number from 1 to 100.', param: 'page_size' },
  malformed_request: { message: 'The URL has malformed percent-encoding.' },
  network_not_allowed: { message: 'The API key may not be used from 198.51.100.7.' },
  insufficient_scope: { message: 'This needs the scope valuation, which the client has not granted.' },
  invalid_body: { message: '"name" is required.' },
};

export const errorSchemas: Record<string, JsonSchema> = {
  Error: {
    type: 'object',
    description: 'An error of the portfolio API.',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['type', 'code', 'message', 'request_id'],
        properties: {
          type: { type: 'string', enum: [...new Set(PORTFOLIO_CODES.map((code) => ERRORS[code].type))] },
          code: { type: 'string', description: 'What programs decide by.', 'x-extensible-enum': PORTFOLIO_CODES },
          message: { type: 'string', description: 'A sentence for people; it may change.' },
          param: { type: 'string', description: 'The parameter or header at fault, where there is one.' },
          request_id: { type: 'string', description: 'Equal to the header `X-Request-Id`.' },
        },
      },
    },
  },
  PlantError: {
    type: 'object',
    description: 'An error of the plant store.',
    required: ['error', 'message'],
    properties: {
      error: { type: 'integer', format: 'int32', description: 'The HTTP status.' },
      message: { type: 'string', description: 'A sentence for people; it may change.' },
    },
  },
};

/** The format of an area's errors. */
interface ErrorFormat {
  schema: string;
  write(refusal: Refusal): string;
  headers(status: number): Record<string, JsonSchema>;
}

const portfolioFormat: ErrorFormat = {
  schema: 'Error',
  write: (refusal) => errorBody(refusal, REQUEST_ID),
  headers: portfolioErrorHeaders,
};
const plantFormat: ErrorFormat = {
  schema: 'PlantError',
  write: (refusal) => plantPolicy.writeError(refusal, REQUEST_ID),
  headers: plantHeaders,
};

/** The responses shared by operations, by their names in `components.responses`. */
export function sharedResponses(versions: readonly string[]): Record<string, JsonSchema> {
  const message = `Version "2020-01-01" is not supported. Supported versions: ${versions.join(', ')}.`;
  const details = { ...DETAILS, unsupported_version: { message, param: VERSION_HEADER } };
  return {
    ...named('Error', byStatus(EVERYWHERE, portfolioFormat, details)),
    ...named('AssetError', byStatus(OF_ONE_ASSET, portfolioFormat, details)),
    ...named('PlantError', byStatus(PLANT_CODES, plantFormat, DETAILS)),
    NotReached: unreached(portfolioFormat),
    PlantNotReached: unreached(plantFormat),
    HeadRefused: headRefused(portfolioFormat),
    PlantHeadRefused: headRefused(plantFormat),
  };
}

/** References to the error responses of a portfolio endpoint. */
export function portfolioErrors(ofOneAsset: boolean): Record<string, JsonSchema> {
  const responses = references('Error', EVERYWHERE);
  if (ofOneAsset) Object.assign(responses, references('AssetError', OF_ONE_ASSET));
  return { ...responses, default: { $ref: '#/components/responses/NotReached' } };
}

/** Error responses of a plant endpoint: its own, and references to shared ones. */
export function plantErrors(own: readonly ErrorCode[], details: Details): Record<string, JsonSchema> {
  return {
    ...byStatus(own, plantFormat, { ...DETAILS, ...details }),
    ...references('PlantError', PLANT_CODES),
    default: { $ref: '#/components/responses/PlantNotReached' },
  };
}

function references(prefix: string, codes: readonly ErrorCode[]): Record<string, JsonSchema> {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))];
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${prefix}${status}` }]));
}

const named = (prefix: string, responses: Record<string, JsonSchema>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(responses).map(([status, one]) => [`${prefix}${status}`, one]));

function byStatus(codes: readonly ErrorCode[], format: ErrorFormat, details: Details): Record<string, JsonSchema> {
  const groups = Object.groupBy(codes, (code) => `${ERRORS[code].status}`);
  const responses = Object.entries(groups).map(([status, members = []]) => [
    status,
    response(describe(members), members, format, format.headers(Number(status)), details),
  ]);
  return Object.fromEntries(responses);
}

/** The response to a request that reaches no endpoint. */
function unreached(format: ErrorFormat): JsonSchema {
  const text =
    'The request reached no endpoint: there is none at the path, or none for the method (405 with `Allow`), or it is too large or too slow.';
  return response(text, UNREACHED, format, { ...format.headers(404), ...headersFor('Allow') }, DETAILS);
}

/** All refusals of HEAD: without a body, statuses need no separate descriptions. */
const headRefused = ({ headers }: ErrorFormat): JsonSchema => ({
  description: 'Refused as GET would be, without a body.',
  headers: { ...headers(400), ...refusalHeaders },
});

function response(
  description: string,
  codes: readonly ErrorCode[],
  { schema, write }: ErrorFormat,
  headers: Record<string, JsonSchema>,
  details: Details,
): JsonSchema {
  const example = (code: ErrorCode) => {
    const value = JSON.parse(write(new Refusal(code, details[code])));
    return [code, { summary: ERRORS[code].message, value }] as const;
  };
  const examples = Object.fromEntries(codes.map(example));
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, examples } };
  return { description, headers, content };
}

const describe = (codes: readonly ErrorCode[]): string =>
  codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n');
