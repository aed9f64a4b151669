// Bench: PostGraphile's schema as generated from the tables.
import type { Target } from '../works.ts';
import type { Dialect } from './dialect.ts';

const REGISTRY = 'rowId registryId title category quantity createdAt updatedAt';
const VALUATION = `marketValue marketValueAsOf purchaseAmount purchaseCurrency purchasedOn insuranceAmount
      insuranceCurrency`;
const REST = `description notes seller storageLocation
      itemCollectionsByItemId { nodes { collectionByCollectionId { rowId name } } }
      categoryFields
      categoryByCategory { recommendedDocuments } recommended: documentsByItemId { nodes { type expiresOn } }
      heirs shareLinksByItemId(orderBy: PRIMARY_KEY_ASC) { nodes { rowId label createdAt expiresAt } } readiness
      verification`;
const INCLUDES = `
      valuationsByItemId(orderBy: [VALUED_AT_DESC, PRIMARY_KEY_DESC], first: 10) {
        nodes { rowId source amount currency valuedAt appraiser createdAt }
      }
      documentsByItemId(orderBy: PRIMARY_KEY_DESC) {
        nodes { rowId type title issuer issuedOn expiresOn fileSize createdAt updatedAt }
      }`;

function operation({ clientId, registryId, resource, narrow = false, query = {} }: Target): object {
  const fields = `${REGISTRY} ${VALUATION} ${narrow ? '' : REST} ${query.include === undefined ? '' : INCLUDES}`;
  if (resource === 'asset')
    return {
      query: `query Asset($clientId: String!, $registryId: String!) {
  items: allItems(condition: { clientId: $clientId, registryId: $registryId }) {
    nodes { ${fields} }
  }
}`,
      variables: { clientId, registryId },
    };
  return {
    query: `query Assets($clientId: String!, $first: Int!) {
  items: allItems(condition: { clientId: $clientId }, orderBy: PRIMARY_KEY_ASC, first: $first) {
    totalCount
    pageInfo { hasNextPage endCursor }
    nodes { ${fields} }
  }
}`,
    variables: { clientId, first: Number(query.page_size) },
  };
}

export const postgraphile: Dialect = {
  request: (target) => ({
    method: 'POST',
    path: '/graphql',
    headers: {
      Authorization: `Bearer ${target.key?.secret}`,
      'Content-Type': 'application/json',
      Accept: 'application/json',
    },
    body: JSON.stringify(operation(target)),
  }),
  idsIn(body) {
    const { data, errors } = JSON.parse(body);
    if (errors !== undefined) throw new Error(`the answer has errors: ${JSON.stringify(errors).slice(0, 600)}`);
    return data.items.nodes.map(({ rowId }: { rowId: string }) => rowId);
  },
};
