// REST facade: weak validators over what a body says, less the instants at which it was said.
import { hash } from 'node:crypto';

/**
 * `W/"…"` for a body in a version. Of a stamped body, `as_of` and, in a delta walk, `next_cursor` (which carries it) are
 * left out: they move while nothing changes. Both stand after everything that could hold such text as data.
 */
export function entityTag(
  version: string,
  body: string,
  { stamped, walking }: { stamped: boolean; walking: boolean },
): string {
  let text = stamped ? without(body, '"as_of":"') : body;
  if (walking) text = without(text, '"next_cursor":"');
  return `W/"${hash('sha1', `${version}\n${text}`, 'base64url')}"`;
}

function without(text: string, opening: string): string {
  const at = text.lastIndexOf(opening);
  if (at === -1) return text;
  return text.slice(0, at) + text.slice(text.indexOf('"', at + opening.length));
}

/** Whether If-None-Match names the tag; weak comparison, as RFC 9110 wants for it. */
export function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = tag.slice(2);
  return header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === opaque);
}
