// HTTP: request targets, paths, and their templates with `{name}` for variable parts.
import { Refusal } from '#core/errors.ts';
import { MAX_URL } from './sizes.ts';

const NAME = /\{(\w+)\}/g;

/** The template in the router's syntax: `:name` for `{name}`. */
export const routerPath = (template: string): string => template.replace(NAME, ':$1');

/** A pattern of the template's paths, with a group for each variable part in its encoded form. */
export function pathPattern(template: string): RegExp {
  const literals = template.replace(NAME, '{}').split('{}');
  return new RegExp(`^${literals.map(RegExp.escape).join('([^/]+)')}$`);
}

/** A refusal of a request target that is too long, or has a fragment, which clients keep to themselves; or null. */
export function refusedTarget(url: string): Refusal | null {
  if (url.length > MAX_URL) return new Refusal('uri_too_long', { message: `A URL has at most ${MAX_URL} characters.` });
  return url.includes('#') ? new Refusal('malformed_request', { message: 'A URL is sent without a fragment.' }) : null;
}

/** The request target without query and fragment. */
export const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] ?? url;
