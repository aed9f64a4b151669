// REST facade: weak validators over what a body says, less the instants at which it was said.
import { createHash } from 'node:crypto';

/** Before the instant in a body that carries one. */
export const STAMP = '"as_of":"';

/**
 * `W/"…"` for a body in a version. Of a stamped body the instant `as_of` is left out, which moves while nothing changes. It
 * stands after everything that could hold such text as data.
 */
export function entityTag(version: string, body: Buffer, { stamped }: { stamped: boolean }): string {
  const digest = createHash('sha1').update(`${version}\n`);
  const at = stamped ? body.lastIndexOf(STAMP) : -1;
  if (at !== -1) digest.update(body.subarray(0, at));
  const rest = at === -1 ? body : body.subarray(body.indexOf('"', at + STAMP.length));
  return `W/"${digest.update(rest).digest('base64url')}"`;
}

/** Whether If-None-Match names the tag; weak comparison, as RFC 9110 wants for it. */
export function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag || header.trim() === '*') return true;
  const opaque = tag.slice(2);
  return header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === opaque);
}
