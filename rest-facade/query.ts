// REST facade: the query of a URL as sent, with all values of each name.
import { Refusal } from '#core/errors.ts';
import { getOrInsert } from '#core/get-or-insert.ts';

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new Refusal('malformed_request', { message: 'The URL has malformed percent-encoding.', cause });
  }
}

/** Names and values in the order sent. Throws Refusal `malformed_request` for malformed percent-encoding. */
export function readQuery(url: string): Map<string, string[]> {
  const query = new Map<string, string[]>();
  const start = url.indexOf('?');
  if (start === -1) return query;
  for (const part of url.slice(start + 1).split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    const value = equals === -1 ? '' : decode(part.slice(equals + 1));
    getOrInsert(query, name, () => []).push(value);
  }
  return query;
}
