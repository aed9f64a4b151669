// Bench, the expert floor: the floor with every trick that keeps its promises: one data statement a request (keys first,
// the count beside them), wire-ready text in the place of Date objects, the limit asked beside the data
// unless the key was refused just before.
// Stored JSON is read and written again: PostgreSQL's text of it has other spaces than the product's answers.
// It lacks what the floor lacks.
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
