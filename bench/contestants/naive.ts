// Bench, naive: a straightforward first version. REST over graphql-js: the whole document is executed for everybody,
// fields that are not granted are returned as errors, and the handler removes them from the body. It lacks what the
// floor lacks; key, grant and limit are the floor's, so that only GraphQL and the ORM differ.
import { readFileSync } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import { type ExecutionResult, execute, parse } from 'graphql';
import { assetStore } from './floor/assets.ts';
import { createContext, openOrm } from './naive/context.ts';
import { schema } from './naive/schema.ts';
import { admitted } from './plain/admission.ts';
import { openHouse } from './plain/house.ts';
import { answer, createServer, listen, Refused, setLinks } from './plain/http.ts';
import { assetQuery, assetsQuery } from './plain/parameters.ts';
import type { View } from './plain/store.ts';

const read = (name: string) =>
  readFileSync(new URL(`../../rest-facade/operations/${name}.graphql`, import.meta.url), 'utf8');
const operation = (name: string) => parse(read(name) + read('fragments'));
const documents = { assets: operation('assets'), asset: operation('asset') };

const house = await openHouse();
const orm = openOrm();
const door = { house, store: assetStore(house.query), limitBeside: false };
const app = createServer();

// biome-ignore lint/suspicious/noExplicitAny: a body of any shape.
type Body = any;

async function run(document: keyof typeof documents, variables: object, view: View): Promise<Body> {
  const { data, errors = [] } = (await execute({
    schema,
    document: documents[document],
    variableValues: { clientId: view.clientId, ...variables },
    contextValue: createContext(orm, house, view),
  })) as ExecutionResult<{ body: Body }>;
  for (const { path = [], originalError } of errors) {
    if (originalError?.name !== 'ForbiddenError') throw originalError ?? new Error('execution failed');
    let parent = data as Body;
    for (const step of path.slice(0, -1)) parent = parent?.[step];
    if (parent != null) delete parent[path.at(-1) as string];
  }
  return data?.body;
}

function includesOf(request: FastifyRequest) {
  const wanted = (request.query as { include?: string }).include?.split(',') ?? [];
  return { valuations: wanted.includes('valuations'), documents: wanted.includes('documents') };
}

app.get('/api/v1/assets', { schema: assetsQuery }, async (request, reply) => {
  const { page, page_size: first } = request.query as { page?: number; page_size?: number };
  const variables = { page, first, delta: false, ...includesOf(request) };
  const body = await admitted(door, request, reply, true, (view) => run('assets', variables, view));
  setLinks(request, reply, body.pagination);
  return answer(request, reply, JSON.stringify(body), true);
});

app.get('/api/v1/assets/:registry_id', { schema: assetQuery }, async (request, reply) => {
  const { registry_id: registryId } = request.params as { registry_id: string };
  const variables = { registryId, ...includesOf(request) };
  const data = await admitted(door, request, reply, false, (view) => run('asset', variables, view));
  if (data === null) throw new Refused('asset_not_found');
  return answer(request, reply, JSON.stringify({ data }), false);
});

await listen(app);
