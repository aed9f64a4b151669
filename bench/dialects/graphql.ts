// Bench: the product's schema over HTTP, with one document for each work, sent completely with every request.
import type { Target } from '../works.ts';
import type { Dialect } from './dialect.ts';

const SECTIONS = {
  registry: 'id registryId title category quantity createdAt updatedAt',
  valuation: `marketValue { amount currency } marketValueAsOf purchasePrice { amount currency } purchasedOn
    insuranceValue { amount currency }`,
  detail: 'description notes seller storageLocation collections { id name }',
  category_detail: 'categoryFields',
  documentation: 'documentation { score present missing }',
  estate: `estate { heirs { name relationship sharePercent } shareLinks { id label createdAt expiresAt active }
    readiness { score missing } }`,
  verification: `verification { status verifiedAt riskScore tamperState lastScanAt
    scans { scannedAt method result } }`,
};
const INCLUDES = `
    valuations(first: 10) { id registryId source value { amount currency } valuedAt appraiser createdAt }
    documents { id registryId type title issuer issuedOn expiresOn fileSize createdAt updatedAt }`;

function fieldsOf({ narrow = false, query = {} }: Target): string {
  const granted = narrow ? [SECTIONS.registry, SECTIONS.valuation] : Object.values(SECTIONS);
  return `${granted.join('\n    ')}${query.include === undefined ? '' : INCLUDES}`;
}

function operation(target: Target): object {
  const { clientId, registryId, resource, query = {} } = target;
  if (resource === 'asset')
    return {
      query: `query GetAsset($clientId: ID!, $registryId: String!) {
  asset(clientId: $clientId, registryId: $registryId) {
    ${fieldsOf(target)}
  }
}`,
      variables: { clientId, registryId },
    };
  return {
    query: `query ListAssets($clientId: ID!, $first: Int) {
  assets(clientId: $clientId, first: $first) {
    nodes {
    ${fieldsOf(target)}
    }
    pagination { page pageSize totalItems totalPages hasMore nextCursor }
    sync { asOf full }
  }
}`,
    variables: { clientId, first: Number(query.page_size) },
  };
}

const post = (target: Target, headers: Record<string, string>) => ({
  method: 'POST' as const,
  path: '/graphql',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
  body: JSON.stringify(operation(target)),
});

function idsIn(body: string): string[] {
  const { data, errors } = JSON.parse(body);
  if (errors !== undefined) throw new Error(`the answer has errors: ${JSON.stringify(errors).slice(0, 300)}`);
  return (data.asset === undefined ? data.assets.nodes : [data.asset]).map(({ id }: { id: string }) => id);
}

/** Internal tools: a service token that acts for a key. */
export const asTool: Dialect = {
  request: (target, { serviceToken }) =>
    post(target, { Authorization: `Bearer ${serviceToken}`, 'X-Act-As-Key': target.key?.id ?? '' }),
  idsIn,
};

/** A partner's key, as for REST. */
export const asPartner: Dialect = {
  request: (target) => post(target, { Authorization: `Bearer ${target.key?.secret}` }),
  idsIn,
};
