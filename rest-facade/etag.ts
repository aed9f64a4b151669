// REST facade: weak validators over the content of a body, without its timestamp.
import { createHash } from 'node:crypto';

/** Precedes the timestamp in a body that has one. */
const STAMP = '"as_of":"';

/** Position of the timestamp `as_of` in a stamped body. Data that might contain the same text come before it. */
export function positionOfStamp(body: Buffer): number | null {
  const at = body.lastIndexOf(STAMP);
  return at === -1 ? null : at + STAMP.length;
}

/**
 * `W/"…"` for a body in a version. Leaves out the timestamp at `stampAt`, which changes although nothing else does.
 */
export function entityTag(version: string, body: Buffer, stampAt: number | null): string {
  const digest = createHash('sha1').update(`${version}\n`);
  if (stampAt === null) digest.update(body);
  else digest.update(body.subarray(0, stampAt - STAMP.length)).update(body.subarray(body.indexOf('"', stampAt)));
  return `W/"${digest.digest('base64url')}"`;
}

/** Whether If-None-Match names the tag, by weak comparison as RFC 9110 requires. */
export function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag || header.trim() === '*') return true;
  const opaque = tag.slice(2);
  return header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === opaque);
}
