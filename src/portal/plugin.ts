// Portal: everything below `/portal` on the public listener.
import type { FastifyInstance } from 'fastify';
import type { Schemas } from '#gateway/execution/execute.ts';
import { registerAccountRoutes } from './auth/account-routes.ts';
import { registerAuthRoutes } from './auth/auth-routes.ts';
import { registerProviderRoutes } from './auth/provider-routes.ts';
import { registerEndpoint } from './endpoint.ts';
import { registerExport } from './export.ts';
import { readFiles } from './files.ts';
import { registerKeySet } from './key-set.ts';
import { registerLedger } from './ledger-log.ts';
import { loadOperations } from './operations.ts';
import { registerPages } from './pages.ts';
import { registerPersonalData } from './personal-data.ts';
import type { Portal } from './portal.ts';
import { registerUnsubscribe } from './unsubscribe.ts';

export function registerPortal(app: FastifyInstance, portal: Portal, schemas: Schemas): void {
  const posts = new Set<string>();
  app.addHook('onRoute', ({ method, url }) => {
    if (method === 'POST') posts.add(url);
  });
  registerAuthRoutes(app, portal);
  registerProviderRoutes(app, portal);
  registerAccountRoutes(app, portal);
  registerEndpoint(app, portal, loadOperations(schemas));
  registerExport(app, portal, schemas, 'access-record', ['csv', 'json', 'ndjson']);
  registerExport(app, portal, schemas, 'firm-record', ['csv', 'ndjson']);
  registerKeySet(app, portal);
  registerLedger(app, portal);
  registerPersonalData(app, portal);
  registerUnsubscribe(app, portal);
  registerPages(app, portal, readFiles(), posts);
}
