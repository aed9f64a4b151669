// Bench, the floor: Fastify and pg written by hand, as a good developer would for a single partner. All contestants are
// compared with it. Same bodies, headers, key, grant, limit and exact counts as the product. It lacks versions, the
// access record, metrics, cursors of deltas and valuations, replicas, and the handling of an outage of Redis or
// PostgreSQL.
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
