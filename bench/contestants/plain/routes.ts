// Bench, hand-written gateways: the endpoints.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fingerprint, type WalkedSync } from '../../../src/core/cursor.ts';
import { isRegistryId } from '../../../src/core/ids.ts';
import { admitted, type Desk, plantAccount } from './admission.ts';
import { answer, type Pagination, Refused, setLinks } from './http.ts';
import { type AssetsQuery, assetQuery, assetsQuery, clientQuery, valuationsQuery } from './parameters.ts';
import type { Found, ListQuery, View } from './store.ts';

const DAY_MS = 86_400_000;
const ASSET_ID = /^[a-z]{3}_[0-9A-Z]{26}$/;

export function registerRoutes(app: FastifyInstance, desk: Desk): void {
  const { store } = desk;
  const idOf = (request: FastifyRequest) => (request.params as { registry_id: string }).registry_id;

  app.get('/api/v1/assets', { schema: assetsQuery }, async (request, reply) => {
    const query = request.query as AssetsQuery;
    const { body, pagination } = await admitted(desk, request, reply, true, (view) => listBody(desk, view, query));
    setLinks(request, reply, pagination);
    return answer(request, reply, JSON.stringify(body), true);
  });

  app.get('/api/v1/assets/:registry_id', { schema: assetQuery }, async (request, reply) => {
    const { include } = request.query as { include?: string };
    const found = await admitted(desk, request, reply, false, async (view) => {
      const wanted = includes(view, include);
      return visible(idOf(request), () => store.asset(view, idOf(request), wanted));
    });
    return answer(request, reply, JSON.stringify({ data: found }), false);
  });

  app.get('/api/v1/assets/:registry_id/valuations', { schema: valuationsQuery }, async (request, reply) => {
    const query = request.query as { client_id: string; page?: number; page_size?: number };
    const page = query.page ?? 1;
    const size = query.page_size ?? 25;
    const { rows, total, keys } = await admitted(desk, request, reply, false, async (view) => {
      if (!view.scopes.has('valuation')) throw new Refused('insufficient_scope');
      return visible(idOf(request), () => store.valuations(view, idOf(request), { page, size }));
    });
    const of = fingerprint([['valuations', query.client_id, idOf(request), null, null], size]);
    const pagination = paginate(desk, { page, size, total, keys }, of);
    setLinks(request, reply, pagination);
    return answer(request, reply, JSON.stringify({ data: rows, pagination }), false);
  });

  app.get('/api/v1/assets/:registry_id/documents', { schema: clientQuery }, async (request, reply) => {
    const body = await admitted(desk, request, reply, false, async (view) => {
      if (!view.scopes.has('documentation')) throw new Refused('insufficient_scope');
      return visible(idOf(request), () => store.documents(view, idOf(request)));
    });
    return answer(request, reply, JSON.stringify(body), false);
  });

  app.get('/api/v1/portfolio/summary', { schema: clientQuery }, async (request, reply) => {
    const body = await admitted(desk, request, reply, false, (view) => store.summary(view));
    return answer(request, reply, JSON.stringify({ data: body }), true);
  });

  app.get('/plants', async (request: FastifyRequest, reply: FastifyReply) => {
    const plants = await store.plants(await plantAccount(desk, request, reply));
    const body = plants.map(({ name, tag }) => (tag === null ? { name } : { name, tag }));
    return reply.header('Content-Type', 'application/json; charset=utf-8').send(JSON.stringify(body));
  });
}

async function listBody(desk: Desk, view: View, asked: AssetsQuery) {
  const { store } = desk;
  const filters = {
    categories: asked.category?.split(',') ?? null,
    minValue: asked.min_value ?? null,
    maxValue: asked.max_value ?? null,
    since: asked.updated_since ?? null,
  };
  const { categories, minValue, maxValue, since } = filters;
  const size = asked.page_size ?? 25;
  const of = fingerprint([['assets', view.clientId, categories, minValue, maxValue, since], size]);
  const query: ListQuery = { ...filters, size, ...positionOf(desk, asked, of), ...includes(view, asked.include) };
  const valued = query.minValue !== null || query.maxValue !== null;
  if (valued && !view.scopes.has('valuation')) throw new Refused('insufficient_scope');
  const registered = query.categories !== null || query.since !== null;
  if (registered && !view.scopes.has('registry')) throw new Refused('insufficient_scope');

  if (since === null) {
    const { assets, total, keys } = await store.list(view, query);
    const pagination = paginate(desk, { ...query, total, keys }, of);
    return { body: { data: assets, pagination, sync: { as_of: view.horizon, full: true } }, pagination };
  }
  const full = since <= view.changedAt || Date.parse(since) < Date.now() - 90 * DAY_MS;
  const [{ assets, total, keys, snapshot }, removed] = await Promise.all([
    store.list(view, { ...query, since: full ? new Date(0).toISOString() : since }),
    full || query.page > 1 ? [] : store.removals(view, since),
  ]);
  const sync = { as_of: view.horizon, full };
  // Cursors of deltas are not read here, so the epoch of the snapshot does not matter.
  const walk = { asOf: sync.as_of, full, snapshot, epoch: '' };
  const pagination = paginate(desk, { ...query, total, keys, walk }, of);
  return { body: { data: assets, pagination, removed, sync }, pagination };
}

/** Only full lists continue by cursor. */
function positionOf({ house }: Desk, { page, cursor, updated_since }: AssetsQuery, of: string) {
  if (cursor === undefined) return { page: page ?? 1, after: null };
  if (page !== undefined || updated_since !== undefined) throw new Refused('invalid_parameter');
  const position = house.cursors.decode(cursor, of, [ASSET_ID]);
  return { page: position.page, after: position.after[0] as string };
}

interface Slice {
  page: number;
  size: number;
  total: number;
  keys: string[][];
  walk?: WalkedSync;
}

function paginate({ house }: Desk, { page, size, total, keys, walk }: Slice, of: string): Pagination {
  const has_more = (page - 1) * size + keys.length < total && keys.length > 0;
  const position = { page: page + 1, after: keys.at(-1) ?? [], ...(walk === undefined ? {} : { sync: walk }) };
  const next_cursor = has_more ? house.cursors.encode(position, of) : null;
  return { page, page_size: size, total_items: total, total_pages: Math.ceil(total / size), has_more, next_cursor };
}

function includes({ scopes }: View, include: string | undefined) {
  const wanted = include?.split(',') ?? [];
  const valuations = wanted.includes('valuations');
  const documents = wanted.includes('documents');
  if ((valuations && !scopes.has('valuation')) || (documents && !scopes.has('documentation')))
    throw new Refused('insufficient_scope');
  return { valuations, documents };
}

async function visible<Body>(registryId: string, find: () => Promise<Found<Body>>): Promise<Body> {
  const found = isRegistryId(registryId) ? await find() : null;
  if (found === null) throw new Refused('asset_not_found');
  if (!found.inView) throw new Refused('asset_not_in_grant');
  return found.body;
}
