// REST facade: area B. The complete path of a request, in the order of possible refusals.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, refuseParameter } from '#core/errors.ts';
import { readInt64 } from '#core/exact-json.ts';
import { MAX_PLANTS } from '#core/plant-limits.ts';
import type { PreparedDocument, Schemas } from '#gateway/execution/execute.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { judgeUselessBody, readBody, requireJson } from '#http/body.ts';
import { type Answer, type AreaPolicy, Exchange } from '#http/exchange.ts';
import { routerPath } from '#http/path.ts';
import { toRefusal } from '#http/refusals.ts';
import { MAX_BODY } from '#http/sizes.ts';
import { loadDocument } from '../prepared-documents.ts';
import { readQuery } from '../query.ts';
import { readNewPlant } from './plant-body.ts';

export const LIMIT_PER_MINUTE = 1_000;
export const DEFAULT_LIMIT = 100;

export const WRONG_LIMIT = `limit is a whole number from 1 to ${MAX_PLANTS}.`;
export const WRONG_ID = 'The id in the path is a whole number of 64 bits.';

export const plantPolicy: AreaPolicy = {
  area: 'plants',
  headers: { 'Cache-Control': 'private, no-store' },
  unauthenticated: { prefix: 'plants-address', limit: LIMIT_PER_MINUTE },
  // The specification's form: the status as a number, and a message.
  writeError: ({ status, message }) => JSON.stringify({ error: status, message }),
};

interface PlantRoute {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  run(request: FastifyRequest, execute: (variables: Record<string, unknown>) => Promise<unknown>): Promise<Answer>;
  document: string;
}

interface PlantBody {
  name: string;
  tag: string | null;
}

/** Without `tag` if there is none. */
const toWire = (plant: PlantBody) => (plant.tag === null ? { name: plant.name } : plant);

export const plantRoutes: readonly PlantRoute[] = [
  {
    method: 'GET',
    path: '/plants',
    document: 'plants',
    async run(request, execute) {
      const plants = (await execute({ limit: readLimit(request.url) })) as PlantBody[];
      return { status: 200, body: JSON.stringify(plants.map(toWire)) };
    },
  },
  {
    method: 'POST',
    path: '/plants',
    document: 'create-plant',
    async run(request, execute) {
      requireJson(request.headers);
      const plant = (await execute({ ...readNewPlant(await readBody(request.raw, MAX_BODY)) })) as PlantBody;
      return { status: 200, body: JSON.stringify(toWire(plant)) };
    },
  },
  {
    method: 'DELETE',
    path: '/plants/{id}',
    document: 'delete-plant',
    async run(request, execute) {
      const id = readInt64((request.params as { id: string }).id);
      if (id === null) throw new Refusal('invalid_parameter', { message: WRONG_ID });
      await execute({ id });
      return { status: 204, body: null };
    },
  },
];

export function registerPlants(app: FastifyInstance, gateway: Gateway, schemas: Schemas): void {
  for (const route of plantRoutes) {
    const service = { gateway, route, document: loadDocument(route.document, schemas) };
    app.route({
      method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
      url: routerPath(route.path),
      // In onRequest, because Fastify checks the content type afterwards, and must not refuse a request before its
      // token is checked.
      onRequest: (request, reply) => serve(service, request, reply),
      handler: async (_request, reply) => reply,
    });
  }
}

/** A route with what serves it. */
interface Service {
  gateway: Gateway;
  route: PlantRoute;
  document: PreparedDocument;
}

async function serve(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { gateway, route, document } = service;
  if ((request.params as { id?: string }).id === '') {
    reply.callNotFound();
    return reply;
  }
  const exchange = new Exchange(gateway, reply, plantPolicy, route.path);
  await exchange.respond(async () => {
    const { times } = exchange;
    const found = gateway.admitPlants(request.headers.authorization);
    const token = await times.statement('plant token', found).catch(toRefusal);
    if (token === null) return exchange.countByAddress(new Refusal('invalid_access_token'));
    if (token instanceof Refusal) return exchange.countByAddress(token);
    const refusal = await exchange.limit({ token: { subject: `plants:${token.id}`, limit: LIMIT_PER_MINUTE } });
    times.enter('admit');
    if (refusal !== null) return refusal;
    const useless = route.method === 'POST' ? null : await judgeUselessBody(request.raw);
    if (useless !== null) return useless;
    const account = { kind: 'plant_account', accountId: token.holder } as const;
    return route.run(request, async (variables) => (await gateway.execute(document, variables, account, times)).body);
  });
  return reply;
}

function readLimit(url: string): number {
  const query = readQuery(url);
  const values = query.get('limit');
  if (values === undefined) return DEFAULT_LIMIT;
  const [text = ''] = values;
  if (values.length > 1) refuseParameter('limit', 'limit is given more than once.');
  if (!/^[1-9]\d{0,3}$/.test(text) || Number(text) > MAX_PLANTS) refuseParameter('limit', WRONG_LIMIT);
  return Number(text);
}
