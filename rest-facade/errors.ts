// REST facade: bodies of refusals, with one shape for each area.
import type { Refusal } from '#core/errors.ts';

/** Area A: the specification's error object. A 400 names the parameter, if there is one. */
export function portfolioError(refusal: Refusal, requestId: string): string {
  const { type, code, message, param } = refusal;
  const named = param === undefined ? {} : { param };
  return JSON.stringify({ error: { type, code, message, ...named, request_id: requestId } });
}

/** Area B: the status as a number, and a message. */
export function plantError({ status, message }: Refusal): string {
  return JSON.stringify({ error: status, message });
}
