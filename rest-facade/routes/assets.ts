// REST facade: assets.

import type { Cursors } from '#core/cursor.ts';
import { refuseParameter } from '#core/errors.ts';
import { SCOPE_COUNT } from '#core/scopes.ts';
import { type AssetListArguments, readAssetPage } from '#gateway/paging/paging.ts';
import {
  AS_OF,
  asset,
  document,
  type Examples,
  firstOfTwo,
  onePage,
  registry,
  usd,
  valuation,
  values,
} from '../examples.ts';
import {
  category,
  clientId,
  cursor,
  include,
  maxValue,
  minValue,
  page,
  pageSize,
  updatedSince,
} from '../parameters.ts';
import type { Route } from './route.ts';

function checkList(variables: Record<string, unknown>, cursors: Cursors): void {
  const { minValue: min, maxValue: max, after } = variables;
  if (typeof min === 'string' && typeof max === 'string' && isGreater(min, max))
    refuseParameter('min_value', 'min_value is greater than max_value.');
  if (after !== null) readAssetPage(variables as unknown as AssetListArguments, cursors);
}

/** Compares decimal texts of up to 20 digits on either side exactly. */
function isGreater(left: string, right: string): boolean {
  const scaled = (text: string) => {
    const [whole = '', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(20, '0'));
  };
  return scaled(left) > scaled(right);
}

const whole = { ...asset, valuations: [valuation], documents: [document] };

const listExamples: Examples = [
  {
    name: 'everything',
    summary: `All ${SCOPE_COUNT} scopes, with valuations and documents`,
    value: { data: [whole], pagination: firstOfTwo, sync: { as_of: AS_OF, full: true } },
  },
  {
    name: 'registry',
    summary: 'The scope registry alone',
    value: { data: [registry], pagination: onePage, sync: { as_of: AS_OF, full: true } },
  },
  {
    name: 'delta',
    summary: 'Delta sync: what changed and what left since',
    value: {
      data: [{ ...registry, ...values, market_value: usd('118000.00') }],
      pagination: onePage,
      removed: [
        {
          registry_id: 'PTC-AR-01K4W6Y8A0C2E4G6J8M0P2R4T6',
          removed_at: '2026-02-04T11:02:55.700Z',
          reason: 'out_of_scope',
        },
      ],
      sync: { as_of: AS_OF, full: false },
    },
  },
];

const assetExamples: Examples = [
  {
    name: 'everything',
    summary: `All ${SCOPE_COUNT} scopes, with valuations and documents`,
    value: { data: whole },
  },
  {
    name: 'valuation',
    summary: 'The scopes registry and valuation; no market value yet',
    value: { data: { ...registry, ...values, market_value: null, market_value_as_of: null, insurance_value: null } },
  },
];

export const assetRoutes: Route[] = [
  {
    operation: 'ListAssets',
    document: 'assets',
    path: '/api/v1/assets',
    tag: 'Assets',
    summary: 'List assets',
    description:
      "A page of the client's items that the grant covers, in the order of creation; with `updated_since`, what changed, in the order of change. Follow `next` of the `Link` header: that walk is stable while items change.",
    parameters: [clientId, category, minValue, maxValue, updatedSince, include, page, pageSize, cursor],
    envelope: 'none',
    paged: true,
    stamp: 'horizon',
    examples: listExamples,
    check: checkList,
  },
  {
    operation: 'GetAsset',
    document: 'asset',
    path: '/api/v1/assets/{registry_id}',
    tag: 'Assets',
    summary: 'Get an asset',
    description: 'One asset by its registry id.',
    parameters: [clientId, include],
    envelope: 'data',
    paged: false,
    stamp: 'none',
    examples: assetExamples,
  },
];
