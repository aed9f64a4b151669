// Bench, PostGraphile 5: GraphQL generated from the tables, planned into few statements. Key, grant and limit are the
// floor's, in a hook before it; the client is a condition of the query. It lacks scopes (the caller chooses its
// fields), the grant's item filter, completeness (it returns documents and recommended types instead), the sync
// horizon, tags, and the formats of money and time.

import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/fastify/v5';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { assetStore } from './floor/assets.ts';
import { admitted } from './plain/admission.ts';
import { openHouse } from './plain/house.ts';
import { createServer, listen, VERSION } from './plain/http.ts';

const house = await openHouse();
const door = { house, store: assetStore(house.query), limitBeside: false };

const app = createServer();
app.addHook('preHandler', async (request, reply) => {
  const { variables } = request.body as { variables: { clientId: string } };
  request.query = { client_id: variables.clientId };
  request.headers['x-service-version'] = VERSION;
  await admitted(door, request, reply, true, async () => {});
});

const serv = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({
      connectionString: process.env.DATABASE_URL as string,
      schemas: ['public'],
      poolConfig: { max: 10, idleTimeoutMillis: 600_000, options: '-c timezone=UTC -c jit=off' },
    }),
  ],
  grafast: { context: {} },
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
}).createServ(grafserv);
await serv.addTo(app);
await listen(app);
