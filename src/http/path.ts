// HTTP: paths of requests, and their templates with `{name}` for a variable part.

/** Characters of the longest request target. */
export const MAX_URL = 8_192;

const NAME = /\{(\w+)\}/g;

/** The template as the router reads it: `:name` for `{name}`. */
export const routerPath = (template: string): string => template.replace(NAME, ':$1');

/** Matches the template's paths; a group for each variable part, as it was encoded. */
export function pathPattern(template: string): RegExp {
  const literals = template.replace(NAME, '{}').split('{}');
  return new RegExp(`^${literals.map(RegExp.escape).join('([^/]+)')}$`);
}

/** A request target without query and fragment. */
export const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] ?? url;
