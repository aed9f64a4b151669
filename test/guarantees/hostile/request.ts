// The shape of a hostile request, and what its sender knows.

import fc from 'fast-check';
import { headerText, mix } from './texts.ts';

export interface HostileRequest {
  area: 'portfolio' | 'plants' | 'graphql';
  method: string;
  /** Path and query exactly as sent. */
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

/** What a sender with valid credentials knows: its secrets, existing ids, cursors from responses. */
export interface Insider {
  keys: readonly string[];
  keyIds: readonly string[];
  plantTokens: readonly string[];
  serviceTokens: readonly string[];
  clientIds: readonly string[];
  registryIds: readonly string[];
  cursors: readonly { query: string; cursor: string }[];
  version: string;
}

export type Headers = Record<string, string>;

/** Mostly a valid secret. */
export const authorization = (secrets: readonly string[]): fc.Arbitrary<Headers> =>
  mix<Headers>(
    [12, fc.constantFrom(...secrets).map((secret) => ({ Authorization: `Bearer ${secret}` }))],
    [1, headerText.map((text) => ({ Authorization: text }))],
    [1, headerText.map((text) => ({ Authorization: `Bearer ${text}` }))],
    [1, fc.constant({})],
  );

const extraHeaders = fc.record(
  {
    'If-None-Match': fc.oneof(fc.constantFrom('*', 'W/"x"', '"', ','.repeat(500), '"a","b",*'), headerText),
    'Content-Type': fc.oneof(fc.constantFrom('application/json', 'text/plain', 'multipart/form-data'), headerText),
    Accept: headerText,
    'X-Request-Id': headerText,
    Cookie: headerText,
    'X-Act-As-Key': headerText,
  },
  { requiredKeys: [] },
);

// Each request has its own address, so that the limit of an address hides no other refusal; some addresses are hostile.
const address = mix(
  [20, fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((parts) => `10.${parts.join('.')}`)],
  [1, headerText],
);

export type Part = Partial<HostileRequest> & Pick<HostileRequest, 'path' | 'headers'>;

/** Adds further headers of all kinds to the part's own. */
export function complete(part: fc.Arbitrary<Part>, area: HostileRequest['area']): fc.Arbitrary<HostileRequest> {
  return fc.tuple(part, extraHeaders, address).map(([own, more, forwarded]) => ({
    ...{ method: 'GET', body: null, area },
    ...own,
    headers: { ...more, 'X-Forwarded-For': forwarded, ...own.headers } as Headers,
  }));
}
