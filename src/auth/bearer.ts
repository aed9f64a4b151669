// Auth: parses the bearer token of an Authorization header.

// RFC 9110's token68. The character classes around every repetition are disjoint, so matching takes linear time.
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The token of `Bearer TOKEN`, with the scheme in any case; null for any other header, also with two tokens. */
export function bearerToken(header: string | undefined): string | null {
  return header === undefined ? null : (BEARER.exec(header)?.[1] ?? null);
}
