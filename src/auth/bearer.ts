// Auth: the one credential that an Authorization header may carry.

// RFC 9110's token68; the classes on both sides of every repetition are disjoint, so matching takes linear time.
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The token of `Bearer TOKEN` (the scheme in any case); null for anything else, two tokens included. */
export function bearerToken(header: string | undefined): string | null {
  return header === undefined ? null : (BEARER.exec(header)?.[1] ?? null);
}
