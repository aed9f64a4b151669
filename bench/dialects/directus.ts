// Bench: Directus's REST API over the unchanged tables.
import type { Dialect } from './dialect.ts';

export const DIRECTUS_TOKEN = 'bench-token-of-the-only-administrator';

const REGISTRY = 'id,registry_id,title,category,quantity,created_at,updated_at';
const VALUATION =
  'market_value,market_value_as_of,purchase_amount,purchase_currency,purchased_on,insurance_amount,insurance_currency';
const REST = 'description,notes,seller,storage_location,category_fields,heirs,readiness,verification';

export const directus: Dialect = {
  request({ clientId, registryId, resource, narrow = false, query = {} }) {
    const parameters = new URLSearchParams({
      'filter[client_id][_eq]': clientId,
      fields: [REGISTRY, VALUATION, ...(narrow ? [] : [REST])].join(','),
      ...(resource === 'asset'
        ? { 'filter[registry_id][_eq]': registryId ?? '', limit: '1' }
        : { sort: 'id', limit: query.page_size ?? '25', meta: 'filter_count' }),
    });
    return {
      method: 'GET',
      path: `/items/items?${parameters}`,
      headers: { Authorization: `Bearer ${DIRECTUS_TOKEN}` },
    };
  },
  idsIn: (body) => JSON.parse(body).data.map(({ id }: { id: string }) => id),
};
