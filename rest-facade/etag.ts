// REST facade: weak validators over the content of a body, without its timestamp.
import { createHash } from 'node:crypto';

/** Precedes the timestamp in a body that has one. */
export const STAMP = '"as_of":"';

/**
 * `W/"…"` for a body in a version. Leaves out the timestamp `as_of` of a stamped body, which changes although nothing
 * else does. Data that might contain the same text come before it.
 */
export function entityTag(version: string, body: Buffer, { stamped }: { stamped: boolean }): string {
  const digest = createHash('sha1').update(`${version}\n`);
  const at = stamped ? body.lastIndexOf(STAMP) : -1;
  if (at !== -1) digest.update(body.subarray(0, at));
  const rest = at === -1 ? body : body.subarray(body.indexOf('"', at + STAMP.length));
  return `W/"${digest.update(rest).digest('base64url')}"`;
}

/** Whether If-None-Match names the tag, by weak comparison as RFC 9110 requires. */
export function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag || header.trim() === '*') return true;
  const opaque = tag.slice(2);
  return header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === opaque);
}
