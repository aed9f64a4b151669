// Bench, the expert floor: the floor with every optimisation that keeps its promises: one data statement a request
// (keys first, with the count), text in wire format instead of Date objects, and the limit checked concurrently with
// the data, unless the key was just refused. Stored JSON is parsed and serialised again, since PostgreSQL's text
// differs in white space from the product's answers. It lacks what the floor lacks.
import { assetStore } from './expert-floor/assets.ts';
import { detailStore } from './expert-floor/details.ts';
import { WIRE_TYPES } from './expert-floor/types.ts';
import { openHouse } from './plain/house.ts';
import { createServer, listen } from './plain/http.ts';
import { registerRoutes } from './plain/routes.ts';

const house = await openHouse(WIRE_TYPES);
const store = { ...assetStore(house.query), ...detailStore(house.query) };
const app = createServer();
registerRoutes(app, { house, store, limitBeside: true });
await listen(app);
