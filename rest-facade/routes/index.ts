// REST facade: all endpoints of area A, in the order of the reference.
import { assetRoutes } from './assets.ts';
import { documentRoutes } from './documents.ts';
import { portfolioRoutes } from './portfolio-summary.ts';
import type { Route } from './route.ts';
import { valuationRoutes } from './valuations.ts';

export const routes: readonly Route[] = [...assetRoutes, ...valuationRoutes, ...documentRoutes, ...portfolioRoutes];
