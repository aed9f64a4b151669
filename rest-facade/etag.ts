// REST facade: weak validators over what a body says, less the instants at which it was said.
import { createHash } from 'node:crypto';

/**
 * `W/"…"` for a body in a version. Of a stamped body, `as_of` and, in a delta walk, `next_cursor` (which carries it) are
 * left out: they move while nothing changes. Both stand after everything that could hold such text as data.
 */
export function entityTag(
  version: string,
  body: Buffer,
  { stamped, walking }: { stamped: boolean; walking: boolean },
): string {
  const digest = createHash('sha1').update(`${version}\n`);
  let from = 0;
  for (const opening of [...(walking ? ['"next_cursor":"'] : []), ...(stamped ? ['"as_of":"'] : [])]) {
    const at = body.lastIndexOf(opening);
    if (at === -1) continue;
    digest.update(body.subarray(from, at));
    from = body.indexOf('"', at + opening.length);
  }
  return `W/"${digest.update(body.subarray(from)).digest('base64url')}"`;
}

/** Whether If-None-Match names the tag; weak comparison, as RFC 9110 wants for it. */
export function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag || header.trim() === '*') return true;
  const opaque = tag.slice(2);
  return header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === opaque);
}
