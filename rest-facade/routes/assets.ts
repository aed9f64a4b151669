// REST facade: assets.
import type { Cursors } from '#core/cursor.ts';
import { Refusal } from '#core/errors.ts';
import { type AssetListArguments, readAssetPage } from '#gateway/paging/paging.ts';
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
    throw new Refusal('invalid_parameter', { message: 'min_value is greater than max_value.', param: 'min_value' });
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

export const assetRoutes: Route[] = [
  {
    operation: 'ListAssets',
    document: 'assets',
    path: '/api/v1/assets',
    summary: 'List assets',
    description:
      "A page of the client's items that the grant covers, in the order of creation; with `updated_since`, what changed, in the order of change. Follow `next` of the `Link` header: that walk is stable while items change.",
    parameters: [clientId, category, minValue, maxValue, updatedSince, include, page, pageSize, cursor],
    envelope: 'none',
    paged: true,
    stamp: 'horizon',
    check: checkList,
  },
  {
    operation: 'GetAsset',
    document: 'asset',
    path: '/api/v1/assets/{registry_id}',
    summary: 'Get an asset',
    description: 'One asset by its registry id.',
    parameters: [clientId, include],
    envelope: 'data',
    paged: false,
    stamp: 'none',
  },
];
