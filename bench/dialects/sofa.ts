// Bench: the REST API that sofa-api generates from the product's schema.
import type { Dialect } from './dialect.ts';

export const sofa: Dialect = {
  request({ key, clientId, registryId, resource, query = {} }) {
    const parameters =
      resource === 'asset'
        ? new URLSearchParams({ clientId, registryId: registryId ?? '' })
        : new URLSearchParams({ clientId, first: query.page_size ?? '25' });
    return {
      method: 'GET',
      path: `/api/${resource}?${parameters}`,
      headers: { Authorization: `Bearer ${key?.secret}` },
    };
  },
  idsIn(body) {
    const answer = JSON.parse(body);
    return (answer.nodes ?? [answer]).map(({ id }: { id: string }) => id);
  },
};
