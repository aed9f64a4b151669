// Bench, the floor: Fastify and pg by hand, as a good developer of one partner would write it; what all are measured by.
// Same bodies, headers, key, grant, limit and exact counts as the product. It lacks versions, the access record, metrics,
// cursors of deltas and valuations, replicas, and what happens when Redis or PostgreSQL is away.
import { assetStore } from './floor/assets.ts';
import { detailStore } from './floor/details.ts';
import { openHouse } from './plain/house.ts';
import { createServer, listen } from './plain/http.ts';
import { registerRoutes } from './plain/routes.ts';

const house = await openHouse();
const store = { ...assetStore(house.query), ...detailStore(house.query) };
const app = createServer();
registerRoutes(app, { house, store, limitBeside: false });
await listen(app);
