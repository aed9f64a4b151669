// Bench, naive-yoga: the naive schema over HTTP by Yoga; each operation is parsed and validated, like an external one.
// Key, grant and limit are the floor's; the client is the one in the operation's variables.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createYoga } from 'graphql-yoga';
import { assetStore } from './floor/assets.ts';
import { type Context, createContext, openOrm } from './naive/context.ts';
import { schema } from './naive/schema.ts';
import { admitted } from './plain/admission.ts';
import { openHouse } from './plain/house.ts';
import { createServer, listen, VERSION } from './plain/http.ts';

const house = await openHouse();
const orm = openOrm();
const door = { house, store: assetStore(house.query), limitBeside: false };

interface Call {
  req: FastifyRequest;
  reply: FastifyReply;
}

const yoga = createYoga<Call, Context>({
  schema,
  logging: false,
  graphiql: false,
  parserAndValidationCache: false,
  context: ({ req, reply, params }) => {
    req.query = { client_id: params.variables?.clientId };
    req.headers['x-service-version'] = VERSION;
    return admitted(door, req, reply, true, async (view) => createContext(orm, house, view));
  },
});

const app = createServer();
// Yoga reads the body itself.
app.addContentTypeParser('application/json', {}, (_request, _payload, done) => done(null));
app.post('/graphql', (req, reply) => yoga.handleNodeRequestAndResponse(req, reply, { req, reply }));
await listen(app);
