// Schema: lists of assets, with delta sync, and the single asset.
import { refuseParameter } from '#core/errors.ts';
import type { PortfolioView } from '#core/principal.ts';
import type { Sql } from '#database/database.ts';
import { byRegistryId, requireView, visible } from '#gateway/execution/context.ts';
import { carry, type Discloses } from '#gateway/execution/disclosed.ts';
import { requireArgumentScopes } from '#gateway/execution/scopes.ts';
import { type PageRequest, readAssetPage } from '#gateway/paging/paging.ts';
import { isFullSync } from '#gateway/paging/sync.ts';
import { isForgotten } from '#repositories/admission/change-log.ts';
import { firstDeltaPage, listRemovals, nextDeltaPage, type Removal } from '#repositories/assets/asset-delta.ts';
import type { Asset as AssetShape } from '#repositories/assets/asset-row.ts';
import { type AssetQuery, findAsset, listAssets } from '#repositories/assets/assets.ts';
import { builder } from '../../builder.ts';
import { exposed, exposing } from '../../exposed.ts';
import { Asset } from './asset.ts';
import { loadIncludes } from './includes.ts';
import { COUNTED, type Connection, type Edge, PAGE_ARGS, PageConnection, PageInfo, Pagination } from './page.ts';

const REMOVAL_REASONS = 'deleted, or out_of_scope: moved out of a category or collection that the grant names.';

const AssetRemoval = builder.objectRef<Removal>('AssetRemoval').implement({
  description: 'An item that left the view of the grant.',
  fields: exposing('registry', {
    registryId: ['String', 'The item that left.'],
    removedAt: ['Timestamp', 'When it left.'],
    reason: ['String', REMOVAL_REASONS],
  }),
});

interface SyncShape {
  asOf: string;
  full: boolean;
}

const Sync = builder.objectRef<SyncShape>('Sync').implement({
  description: 'How to continue with delta sync.',
  fields: exposing('portfolio', {
    asOf: ['Timestamp', 'The value for updatedSince next time.'],
    full: ['Boolean', 'Whether the walk returns the whole view, so that a copy has to be replaced.'],
  }),
});

const AssetEdge = builder.objectRef<Edge<AssetShape>>('AssetEdge').implement({
  fields: exposing('portfolio', {
    cursor: ['String'],
    node: [Asset],
  }),
});

interface AssetList extends Connection<AssetShape> {
  sync: SyncShape;
  removed: Removal[] | null;
}

const AssetConnection = builder.objectRef<AssetList>('AssetConnection').implement({
  description: 'A page of assets, in the order of creation or, with `updatedSince`, of change.',
  fields: (t) => ({
    ...exposed(t, 'portfolio', {
      nodes: [[Asset], undefined, COUNTED],
      edges: [[AssetEdge], undefined, COUNTED],
      pageInfo: [PageInfo],
      pagination: [Pagination],
      sync: [Sync],
    }),
    ...exposed(t, 'registry', {
      removed: [
        [AssetRemoval],
        'Delta sync: items that have left the view since, all on the first page. Null if there is no delta.',
        { nullable: true, extensions: { discloses: 'removals' satisfies Discloses } },
      ],
    }),
  }),
});

const FILTER_SCOPES = {
  categories: 'registry',
  updatedSince: 'registry',
  minValue: 'valuation',
  maxValue: 'valuation',
} as const;

builder.queryField('assets', (t) =>
  t.field({
    type: AssetConnection,
    authScopes: { portfolio: true },
    extensions: { cost: 5 },
    args: {
      clientId: t.arg.id({ required: true }),
      categories: t.arg.stringList({ description: 'Only items of these categories.' }),
      minValue: t.arg({ type: 'Decimal', description: 'Minimum market value, inclusive.' }),
      maxValue: t.arg({ type: 'Decimal', description: 'Maximum market value, inclusive.' }),
      updatedSince: t.arg({ type: 'Timestamp', description: 'Delta sync: only changes after this instant.' }),
      ...PAGE_ARGS,
    },
    resolve: async (_root, args, context, info) => {
      const view = requireView(context, args.clientId);
      requireArgumentScopes(context, args, FILTER_SCOPES);
      const request = readAssetPage(args, context.cursors);
      const { categories = null, minValue = null, maxValue = null, updatedSince = null } = args;
      const query = { categories, minValue, maxValue };
      const list = await (updatedSince === null
        ? walk(context.portfolio, view, query, request)
        : // Later pages need the primary, since their snapshots are of the primary.
          delta(context.database, view, query, updatedSince, request));
      carry(context, info, {
        numbers: list.nodes.map(({ number }) => number),
        empty: list.nodes.length === 0,
        removed: list.removed?.map(({ number }) => number),
      });
      await loadIncludes(context, info, list.nodes);
      return list;
    },
  }),
);

async function walk(sql: Sql, view: PortfolioView, query: AssetQuery, request: PageRequest): Promise<AssetList> {
  const page = await listAssets(sql, view, query, request.slice);
  return assetList(new PageConnection(page, request), { asOf: horizonOf(view), full: true }, null);
}

async function delta(
  sql: Sql,
  view: PortfolioView,
  query: AssetQuery,
  updatedSince: string,
  request: PageRequest,
): Promise<AssetList> {
  const { slice, sync } = request;
  if (sync !== undefined && 'after' in slice) {
    const since = sync.full ? null : updatedSince;
    const page = await nextDeltaPage(sql, view, query, since, slice, sync.snapshot);
    // Checked afterwards: if the log covers the snapshot now, it did when the page was read.
    if (await isForgotten(sql, sync)) {
      const message =
        'Paging cannot continue: it took too long, or the database was restarted. Start again from the first page.';
      refuseParameter('cursor', message);
    }
    return assetList(new PageConnection(page, request, sync), sync, []);
  }
  if ('after' in slice) refuseParameter('cursor', 'The cursor cannot be read.');
  const asOf = horizonOf(view);
  const full = isFullSync(view, updatedSince);
  const [page, removed] = await Promise.all([
    firstDeltaPage(sql, view, query, full ? null : updatedSince, slice),
    full || request.page > 1 ? [] : listRemovals(sql, view, updatedSince),
  ]);
  const state = { asOf, full, snapshot: page.snapshot, epoch: page.epoch };
  return assetList(new PageConnection(page, request, state), state, removed);
}

function assetList(page: PageConnection<AssetShape>, { asOf, full }: SyncShape, removed: Removal[] | null): AssetList {
  return Object.assign(page, { sync: { asOf, full }, removed });
}

function horizonOf(view: PortfolioView): string {
  if (view.horizon === null) throw new Error('a list of assets was asked for without reading the sync horizon first');
  return view.horizon;
}

builder.queryField('asset', (t) =>
  t.field({
    type: Asset,
    authScopes: { portfolio: true },
    args: { clientId: t.arg.id({ required: true }), registryId: t.arg.string({ required: true }) },
    resolve: async (_root, { clientId, registryId }, context, info) => {
      const view = requireView(context, clientId);
      const { asset } = visible(await byRegistryId(registryId, () => findAsset(context.portfolio, view, registryId)));
      carry(context, info, { numbers: [asset.number], empty: false });
      return asset;
    },
  }),
);
