// The portal's operations as tests send them: every query with every field, every mutation with what it answers.

const PAGE = 'nextCursor';
const ACTOR = '{ kind name }';
const FILTER = `{ type categories { code name } itemCount items { registryId title } registryIds
  collection { id name itemCount } }`;
const STEP = `{ id at actor ${ACTOR} action grantId firmId firmName keyId keyName scopes filter ${FILTER} expirySet
  expiresAt purpose }`;
const KEY = `{ id name environment scopes prefix lastFour tier status usable usage { limit used remaining refused near }
  activeGrants pendingGrants createdAt createdBy ${ACTOR} expiresAt lastUsedAt rotatedFrom rotatedTo revokedAt
  revokedBy ${ACTOR} traffic { last24Hours last7Days lastCallAt }
  events { keyId at actor ${ACTOR} action successor predecessor overlapMs tier } }`;
const GRANT = `{ id status firmId firmName keyId keyName keyScopes keyStatus environment addressee clientId clientName clientEmail
  scopes filter ${FILTER} purpose createdAt activatedAt expiresAt expiringSoon endedAt updatedAt lastSeenAt calls30Days
  events ${STEP} }`;
const COUNTS = 'requests ok refused limited failed';
const SHADOW_CHANGE = `{ shadowed at actor ${ACTOR} reason }`;
const TIER_SHADOW = `{ tier shadowed history ${SHADOW_CHANGE} }`;
const USAGE = `{ keyId firmId firmName name environment tier tierOverride shadow limit used remaining refused wouldRefuse near
  shadowHistory ${SHADOW_CHANGE} firm { limit used remaining refused near } tierHistory { at actor ${ACTOR} tier }
  firmLimitHistory { at actor ${ACTOR} limit } }`;

export const QUERIES = {
  viewer: `{ body: viewer { userId name email role firm { id name plan planActive tier
    limit { limit used remaining refused near } limitHistory { at actor ${ACTOR} limit } } environment reportingCurrency
    apiBaseUrl apiVersion apiVersions scopes { name meaning } tiers { tier limit } } }`,
  notificationSettings: '{ body: notificationSettings { available topics { topic mails required } } }',
  categories: '{ body: categories { code name } }',
  keys: `{ body: keys ${KEY} }`,
  key: `query ($id: ID!) { body: key(id: $id) ${KEY} }`,
  activity: `query ($days: Int, $keyId: ID) { body: activity(days: $days, keyId: $keyId) {
    total { ${COUNTS} } days { day ${COUNTS} } byStatus { status requests } byEndpoint { endpoint ${COUNTS} }
    byKey { keyId name environment ${COUNTS} } byError { code status message requests } } }`,
  calls: `query ($keyId: ID, $outcome: String, $endpoint: String, $errorCode: String, $requestId: ID, $since: Timestamp, $until: Timestamp,
    $first: Int, $after: String) {
    body: calls(keyId: $keyId, outcome: $outcome, endpoint: $endpoint, errorCode: $errorCode, requestId: $requestId, since: $since,
      until: $until, first: $first, after: $after) {
      nodes { requestId at keyId keyName environment clientId endpoint registryId scopes status outcome errorCode
        errorMessage } ${PAGE} } }`,
  grants: `query ($status: [String!], $keyId: ID, $firmId: ID, $search: String, $expiringSoon: Boolean, $first: Int,
    $after: String) {
    body: grants(status: $status, keyId: $keyId, firmId: $firmId, search: $search, expiringSoon: $expiringSoon,
      first: $first, after: $after) { nodes ${GRANT} ${PAGE} totalItems } }`,
  grant: `query ($id: ID!) { body: grant(id: $id) ${GRANT} }`,
  receipt: `query ($id: ID!, $eventId: ID!) { body: grant(id: $id) { receipt(eventId: $eventId) { receipt jws } } }`,
  grantCounts: '{ body: grantCounts { pending active expiringSoon ended } }',
  keySummary: `query ($keyId: ID!) { body: keySummary(keyId: $keyId) {
    keyId name environment firmId firmName scopes activeGrantId pendingGrantId } }`,
  accessRecord: `query ($firmId: ID, $keyId: ID, $outcome: String, $endpoint: String, $registryId: String,
    $since: Timestamp, $until: Timestamp, $first: Int, $after: String) {
    body: accessRecord(firmId: $firmId, keyId: $keyId, outcome: $outcome, endpoint: $endpoint,
      registryId: $registryId, since: $since, until: $until, first: $first, after: $after) {
      nodes { requestId at firmId firmName keyId keyName environment endpoint registryId itemTitle scopes status
        outcome errorCode errorMessage toolRole toolId } ${PAGE} } }`,
  accessRecordParties: '{ body: accessRecordParties { firmId firmName keyId keyName environment } }',
  consentHistory: `query ($firmId: ID, $first: Int, $after: String) {
    body: consentHistory(firmId: $firmId, first: $first, after: $after) { nodes ${STEP} ${PAGE} } }`,
  ownItems: `query ($search: String, $categories: [String!], $collection: ID, $registryIds: [String!], $first: Int, $after: String,
    $page: Int) {
    body: ownItems(search: $search, categories: $categories, collection: $collection, registryIds: $registryIds, first: $first, after: $after,
      page: $page) { nodes { id registryId title category } ${PAGE} totalItems } }`,
  ownItemIds: `query ($search: String, $categories: [String!], $collection: ID) {
    body: ownItemIds(search: $search, categories: $categories, collection: $collection) }`,
  ownCollections: '{ body: ownCollections { id name itemCount } }',
  ownCategories: '{ body: ownCategories { code name itemCount } }',
  preview: `query ($grantId: ID, $keyId: ID, $scopes: [String!], $filter: GrantFilterInput, $request: String!,
    $version: String) {
    body: preview(grantId: $grantId, keyId: $keyId, scopes: $scopes, filter: $filter, request: $request,
      version: $version) { status body } }`,
  limits: `{ body: limits ${USAGE} }`,
  limit: `query ($keyId: ID!) { body: limit(keyId: $keyId) ${USAGE} }`,
  tierShadows: `{ body: tierShadows ${TIER_SHADOW} }`,
  limiterState: '{ body: limiterState }',
  whatIf: `query ($tier: String!, $firmId: ID, $keyIds: [ID!]) {
    body: whatIf(tier: $tier, firmId: $firmId, keyIds: $keyIds) {
      tier limit since until wouldRefuse
      keys { keyId name environment firmId firmName tier requests refused wouldRefuse peakRequests peakAt } } }`,
  systemState: `{ body: systemState { at startedAt limiter { state since reason latencyMs }
    database { version latencyMs sizeBytes connections mostConnections } replicas { name usable }
    records { waiting saved } } }`,
};

export const MUTATIONS = {
  setNotification: `mutation ($topic: String!, $mails: Boolean!) {
    body: setNotification(topic: $topic, mails: $mails) { available topics { topic mails required } } }`,
  createKey: `mutation ($id: ID, $name: String!, $environment: String!, $scopes: [String!]!, $expiresAt: Timestamp) {
    body: createKey(id: $id, name: $name, environment: $environment, scopes: $scopes, expiresAt: $expiresAt) {
      secret key ${KEY} predecessor { id } } }`,
  rotateKey: `mutation ($id: ID!, $overlapSeconds: Int) {
    body: rotateKey(id: $id, overlapSeconds: $overlapSeconds) { secret key ${KEY} predecessor ${KEY} } }`,
  revokeKey: `mutation ($id: ID!) { body: revokeKey(id: $id) ${KEY} }`,
  requestGrant: `mutation ($id: ID, $keyId: ID!, $client: String!, $scopes: [String!]!, $filter: GrantFilterInput!,
    $expiresAt: Timestamp, $purpose: String) {
    body: requestGrant(id: $id, keyId: $keyId, client: $client, scopes: $scopes, filter: $filter, expiresAt: $expiresAt,
      purpose: $purpose) ${GRANT} }`,
  withdrawGrant: `mutation ($id: ID!) { body: withdrawGrant(id: $id) ${GRANT} }`,
  approveGrant: `mutation ($id: ID!, $scopes: [String!], $filter: GrantFilterInput, $expiresAt: Timestamp) {
    body: approveGrant(id: $id, scopes: $scopes, filter: $filter, expiresAt: $expiresAt) ${GRANT} }`,
  declineGrant: `mutation ($id: ID!) { body: declineGrant(id: $id) ${GRANT} }`,
  changeGrant: `mutation ($id: ID!, $scopes: [String!], $filter: GrantFilterInput, $expiresAt: Timestamp,
    $noExpiry: Boolean) {
    body: changeGrant(id: $id, scopes: $scopes, filter: $filter, expiresAt: $expiresAt, noExpiry: $noExpiry) ${GRANT} }`,
  revokeGrant: `mutation ($id: ID!) { body: revokeGrant(id: $id) ${GRANT} }`,
  stopFirm: `mutation ($firmId: ID!) { body: stopFirm(firmId: $firmId) }`,
  giveGrant: `mutation ($id: ID, $keyId: ID!, $scopes: [String!]!, $filter: GrantFilterInput!, $expiresAt: Timestamp) {
    body: giveGrant(id: $id, keyId: $keyId, scopes: $scopes, filter: $filter, expiresAt: $expiresAt) ${GRANT} }`,
  setKeyTier: `mutation ($keyId: ID!, $tier: String) { body: setKeyTier(keyId: $keyId, tier: $tier) ${USAGE} }`,
  setKeyShadow: `mutation ($keyId: ID!, $shadowed: Boolean!, $reason: String!) {
    body: setKeyShadow(keyId: $keyId, shadowed: $shadowed, reason: $reason) ${USAGE} }`,
  setTierShadow: `mutation ($tier: String!, $shadowed: Boolean!, $reason: String!) {
    body: setTierShadow(tier: $tier, shadowed: $shadowed, reason: $reason) ${TIER_SHADOW} }`,
  setFirmLimit: `mutation ($firmId: ID!, $perMinute: Int) {
    body: setFirmLimit(firmId: $firmId, perMinute: $perMinute) { limit used remaining refused near } }`,
};
