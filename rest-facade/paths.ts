// REST facade: paths as the router reads them: which methods there are at each, and in which area's shape it answers.
import type { FastifyInstance } from 'fastify';
import type { AreaPolicy } from '#http/exchange.ts';
import { pathOf, pathPattern } from '#http/path.ts';
import { plantPolicy } from './plants/plants.ts';
import { portfolioPolicy } from './portfolio.ts';

/**
 * Learns of every route that is registered from now on. The function gives the methods at a URL's path, none where nothing is
 * known to be: of what lies beneath a wildcard only its handler knows whether it is there.
 */
export function watchRoutes(app: FastifyInstance): (url: string) => readonly string[] {
  const routes = new Map<string, { pattern: RegExp; methods: string[] }>();
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const route = routes.get(url) ?? { pattern: pathPattern(url.replace(/:(\w+)/g, '{$1}')), methods: [] };
    routes.set(url, route);
    route.methods.push(...[method].flat());
  });
  return (url) => {
    const path = routedPath(url);
    return routes.values().find(({ pattern }) => pattern.test(path))?.methods ?? [];
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
