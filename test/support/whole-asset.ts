// Test support: a GraphQL selection of all fields of an asset.

export const WHOLE_ASSET = `
  id registryId title category quantity createdAt updatedAt
  marketValue { amount currency } marketValueAsOf purchasePrice { amount currency } purchasedOn
  insuranceValue { amount currency } description notes seller storageLocation collections { id name } categoryFields
  documentation { score present missing }
  estate {
    heirs { name relationship sharePercent } shareLinks { id label createdAt expiresAt active }
    readiness { score missing }
  }
  verification { status verifiedAt riskScore tamperState lastScanAt scans { scannedAt method result } }
  valuations(first: 10) { id registryId source value { amount currency } valuedAt appraiser createdAt }
  documents { id registryId type title issuer issuedOn expiresOn fileSize createdAt updatedAt }`;

export const WHOLE_LIST = `query Whole($client: ID!) {
  assets(clientId: $client, first: 10) { nodes { ${WHOLE_ASSET} } pagination { totalItems } sync { full } } }`;
