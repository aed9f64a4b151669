// Bench, hand-written gateways: the query of each endpoint, validated by Fastify.

export interface AssetsQuery {
  client_id: string;
  category?: string;
  min_value?: string;
  max_value?: string;
  updated_since?: string;
  include?: string;
  page?: number;
  page_size?: number;
  cursor?: string;
}

const client_id = { type: 'string', minLength: 1 };
const decimal = { type: 'string', pattern: '^\\d{1,20}(\\.\\d{1,20})?$' };
const include = { type: 'string', pattern: '^(valuations|documents)(,(valuations|documents))*$' };
const page = { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 };
const page_size = { type: 'integer', minimum: 1, maximum: 100 };

const query = (properties: Record<string, object>) => ({
  querystring: { type: 'object', required: ['client_id'], additionalProperties: false, properties },
});

export const assetsQuery = query({
  client_id,
  category: { type: 'string', pattern: '^[A-Z]{2}(,[A-Z]{2})*$' },
  min_value: decimal,
  max_value: decimal,
  updated_since: { type: 'string', format: 'date-time' },
  ...{ include, page, page_size, cursor: { type: 'string' } },
});
export const assetQuery = query({ client_id, include });
export const valuationsQuery = query({ client_id, page, page_size });
export const clientQuery = query({ client_id });
