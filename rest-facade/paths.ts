// REST facade: paths as the router reads them, and which methods there are at each.
import type { FastifyInstance } from 'fastify';
import { pathOf, pathPattern } from '#http/path.ts';

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

/** The path as the router sees it: without a proxy's origin, query and fragment, and with escaped letters read. */
export function routedPath(url: string): string {
  const path = pathOf(url.replace(/^https?:\/\/[^/]*/i, ''));
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
