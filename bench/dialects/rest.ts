// Bench: the product's REST API, which floors and the naive gateway implement, too.
import type { Dialect } from './dialect.ts';

export const VERSION = '2026-01-15';
/** Well-formed, with a wrong checksum. */
const FORGED = `sk_live_${'A'.repeat(38)}`;

const PATHS = {
  assets: () => '/api/v1/assets',
  asset: (id: string) => `/api/v1/assets/${id}`,
  valuations: (id: string) => `/api/v1/assets/${id}/valuations`,
  documents: (id: string) => `/api/v1/assets/${id}/documents`,
  summary: () => '/api/v1/portfolio/summary',
};

export const rest: Dialect = {
  request({ resource, key, clientId, registryId = '', query = {}, plantToken, forwardedFor }) {
    if (resource === 'plants')
      return { method: 'GET', path: '/plants', headers: { Authorization: `Bearer ${plantToken}` } };
    const parameters = new URLSearchParams({ client_id: clientId, ...query });
    // In the order of the product's links, so that all links can be compared.
    parameters.sort();
    return {
      method: 'GET',
      path: `${PATHS[resource](registryId)}?${parameters}`,
      headers: {
        Authorization: `Bearer ${key?.secret ?? FORGED}`,
        'X-Service-Version': VERSION,
        ...(forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor }),
      },
    };
  },
  idsIn: null,
};
