// GraphQL client: a refusal by the endpoint, or a failure of the network.
import type { ErrorCode } from '#core/errors.ts';

/** Codes of the service, and those that exist in the browser only. */
export type PortalErrorCode =
  | ErrorCode
  | 'offline'
  | 'unreachable'
  | 'not_done'
  | 'maybe_done'
  | 'no_response'
  | 'secret_lost'
  | (string & {});

interface ErrorBody {
  code: PortalErrorCode;
  message: string;
  param?: string;
  request_id?: string;
}

export class PorticoError extends Error {
  readonly code: PortalErrorCode;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  readonly param: string | null;
  readonly requestId: string | null;

  /** `retryAfter` is in seconds, if the response has it. */
  constructor(status: number, { code, message, param, request_id }: ErrorBody, retryAfter: number | null = null) {
    super(retryAfter === null || status !== 429 ? message : `${message} ${waitText(retryAfter)}`);
    this.name = 'PorticoError';
    this.code = code;
    this.status = status;
    this.param = param ?? null;
    this.requestId = request_id ?? null;
  }
}

const waitText = (seconds: number): string =>
  seconds < 90
    ? `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
    : `Try again in ${Math.ceil(seconds / 60)} minutes.`;

/** Whether a retry may succeed without any change. */
export function isTransient(error: unknown): boolean {
  return error instanceof PorticoError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

export const OFFLINE = { code: 'offline', message: 'You are offline. Try again once you are connected.' };

export const UNREACHABLE = {
  code: 'unreachable',
  message: 'The portal cannot be reached. Check your connection and try again.',
};

export const NO_RESPONSE = { code: 'no_response', message: 'There was no response. Try again.' };
