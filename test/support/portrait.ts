// Test support: all responses that a partner can get about a client, to compare before and after a change.

import { scopesOf } from '#core/scopes.ts';
import type { Partner } from './partner.ts';
import type { Response } from './scenario.ts';

/** A response without its request id and `as_of`. */
function comparable({ status, text, headers }: Response): Record<string, unknown> {
  const stable = text.replace(/"request_id":"[^"]*"/, '"request_id":"…"').replace(/"as_of":"[^"]*"/, '"as_of":"…"');
  return {
    status,
    text: stable,
    etag: headers.get('etag'),
    link: headers.get('link'),
    length: headers.get('content-length'),
  };
}

/** The responses of every endpoint, filter and page that the partner's scopes allow, by path. */
export async function portrait(partner: Partner, registryIds: readonly string[], since?: string) {
  const has = new Set(scopesOf(partner.grant.scopes));
  const include = [has.has('valuation') && 'valuations', has.has('documentation') && 'documents'].filter(Boolean);
  const sideload = include.length === 0 ? '' : `&include=${include.join(',')}`;
  const paths = [
    '/portfolio/summary',
    `/assets?page_size=2${sideload}`,
    `/assets?page_size=2&page=2${sideload}`,
    `/assets?page_size=2&page=9`,
    ...(has.has('registry') ? ['/assets?category=WT', '/assets?category=PM,AR'] : []),
    ...(has.has('registry') && since !== undefined ? [`/assets?updated_since=${since}`] : []),
    ...(has.has('valuation') ? ['/assets?min_value=1000', '/assets?max_value=99999'] : []),
    ...registryIds.flatMap((id) => [
      `/assets/${id}${sideload.replace('&', '?')}`,
      ...(has.has('valuation') ? [`/assets/${id}/valuations?page_size=1`] : []),
      ...(has.has('documentation') ? [`/assets/${id}/documents`] : []),
    ]),
  ];
  const answers = await Promise.all(paths.map((path) => partner.get(path)));
  return Object.fromEntries(paths.map((path, index) => [path, comparable(answers[index] as Response)]));
}
