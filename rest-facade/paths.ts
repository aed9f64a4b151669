// REST facade: routing facts about paths: their methods, and the area whose error format applies.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '#core/errors.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import type { AreaPolicy } from '#http/exchange.ts';
import { pathOf, pathPattern } from '#http/path.ts';
import { plantPolicy } from './plants/plants.ts';
import { portfolioPolicy } from './portfolio.ts';

/**
 * Collects all routes registered from now on. The returned function gives the refusal for a request without a handler:
 * 405 if its path has other methods, otherwise 404. For paths under a wildcard only the handler knows which exist.
 */
export function watchRoutes(app: FastifyInstance): (request: FastifyRequest) => Refusal {
  const routes = new Map<string, { pattern: RegExp; methods: string[] }>();
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const pattern = pathPattern(url.replace(/:(\w+)/g, '{$1}'));
    getOrInsert(routes, url, () => ({ pattern, methods: [] })).methods.push(...[method].flat());
  });
  return ({ url, method }) => {
    const path = routedPath(url);
    const methods = routes.values().find(({ pattern }) => pattern.test(path))?.methods ?? [method];
    return methods.includes(method)
      ? new Refusal('route_not_found')
      : new Refusal('method_not_allowed', { allow: methods.join(', ') });
  };
}

/** Paths outside both areas use area A's format. */
export function policyOf(url: string): AreaPolicy {
  return /^\/plants(?:\/|$)/.test(routedPath(url)) ? plantPolicy : portfolioPolicy;
}

/** The path as the router sees it: without a proxy's origin, query and fragment, and percent-decoded. */
function routedPath(url: string): string {
  const path = pathOf(url.replace(/^https?:\/\/[^/]*/i, ''));
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
