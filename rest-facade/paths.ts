// REST facade: paths as the router reads them: which methods there are at each, and in which area's shape it answers.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '#core/errors.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import type { AreaPolicy } from '#http/exchange.ts';
import { pathOf, pathPattern } from '#http/path.ts';
import { plantPolicy } from './plants/plants.ts';
import { portfolioPolicy } from './portfolio.ts';

/**
 * Learns of every route that is registered from now on. The function refuses a request that no handler takes: 405 where its
 * path has other methods, 404 elsewhere; of what lies beneath a wildcard only its handler knows whether it is there.
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

/** Paths outside both areas answer in area A's shape. */
export function policyOf(url: string): AreaPolicy {
  return /^\/plants(?:\/|$)/.test(routedPath(url)) ? plantPolicy : portfolioPolicy;
}

/** The path as the router sees it: without a proxy's origin, query and fragment, and with escaped letters read. */
function routedPath(url: string): string {
  const path = pathOf(url.replace(/^https?:\/\/[^/]*/i, ''));
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
