// HTTP: request paths, and their templates with `{name}` for variable parts.

/** Maximum length of a request target, in characters. */
export const MAX_URL = 8_192;

const NAME = /\{(\w+)\}/g;

/** The template in the router's syntax: `:name` for `{name}`. */
export const routerPath = (template: string): string => template.replace(NAME, ':$1');

/** A pattern of the template's paths, with a group for each variable part in its encoded form. */
export function pathPattern(template: string): RegExp {
  const literals = template.replace(NAME, '{}').split('{}');
  return new RegExp(`^${literals.map(RegExp.escape).join('([^/]+)')}$`);
}

/** The request target without query and fragment. */
export const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] ?? url;
