// The portal's operations as tests send them: every query with every field, every mutation with its result.

const PAGE = 'nextCursor';
const ACTOR = '{ kind name }';
const FILTER = `{ type categories { code name } itemCount items { registryId title } registryIds
  collection { id name itemCount } }`;
const STEP = `{ id at actor ${ACTOR} action grantId firmId firmName keyName scopes filter ${FILTER} expirySet
  expiresAt purpose }`;
const KEY = `{ id name note allowedNetworks environment scopes prefix lastFour tier status usable usage { limit used remaining refused near }
  activeGrants pendingGrants createdAt createdBy ${ACTOR} expiresAt lastUsedAt rotatedTo revokedAt
  revokedBy ${ACTOR} traffic { last24Hours last7Days lastCallAt }
  events { keyId at actor ${ACTOR} action successor predecessor overlapMs tier changes { property before after } }
  use(days: 7) { days counts { day endpoint requests ok refused limited failed } } }`;
const IDENTITY = '{ address website email phone }';
const GRANT = `{ id status firmId firmName firmIdentity ${IDENTITY} keyId keyName keyScopes keyStatus environment addressee clientId clientName clientEmail testClient
  scopes filter ${FILTER} purpose createdAt activatedAt expiresAt expiringSoon endedAt lastSeenAt calls30Days
  events ${STEP} }`;
const RECORDED = '{ registryId title }';
const TEST_CLIENT = '{ id name itemCount createdAt }';
const COUNTS = 'requests ok refused limited failed';
const SHADOW_CHANGE = `{ shadowed at actor ${ACTOR} reason endsAt ended }`;
const TIER_SHADOW = `{ tier shadowed endsAt history ${SHADOW_CHANGE} }`;
const USAGE = `{ keyId firmId firmName firmIdentity ${IDENTITY} name environment tier tierOverride tierOverrideEndsAt shadow limit used remaining refused wouldRefuse near
  shadowHistory ${SHADOW_CHANGE} firm { limit used remaining refused near } tierHistory { at actor ${ACTOR} tier reason endsAt ended }
  firmLimitHistory { at actor ${ACTOR} limit reason endsAt ended } }`;

const LIMIT_COUNTS = 'admitted refused near letPass';

const TEAM = `{ secondFactorRequired sendsMail roles { role meaning } members { id name email role self createdAt lastSeenAt
  authenticatorApp passkeys } invitations { id email name role inviter ${ACTOR} createdAt expiresAt expired } }`;

export const QUERIES = {
  limitHistory: `query ($span: String!, $tier: String, $keyId: ID) { body: limitHistory(span: $span, tier: $tier, keyId: $keyId) {
    seconds bars { at ${LIMIT_COUNTS} } tiers { tier ${LIMIT_COUNTS} }
    keys { keyId name firmName environment ${LIMIT_COUNTS} } keyCount } }`,
  unauthenticatedCalls:
    'query ($days: Int) { body: unauthenticatedCalls(days: $days) { days counts { day errorCode calls } } }',
  gatewayProcesses: `{ body: gatewayProcesses { id host seenAt startedAt silent limiter limiterSince limiterReason recordsWaiting
    replicasAway } }`,
  viewer: `{ body: viewer { userId name email role firmRole firm { id name plan planActive tier
    limit { limit used remaining refused near } identity ${IDENTITY}
    identityHistory { at actor ${ACTOR} parts } } environment timeZone
    apiBaseUrl apiVersion maxKeyLifetimeDays tiers { tier limit } } }`,
  notificationSettings: '{ body: notificationSettings { available topics { topic mails required } } }',
  team: `{ body: team ${TEAM} }`,
  firmEvents: `query ($group: String, $since: Timestamp, $until: Timestamp, $first: Int, $after: String) {
    body: firmEvents(group: $group, since: $since, until: $until, first: $first, after: $after) {
      nodes { id at actor ${ACTOR} actorId group action subject name details } ${PAGE} } }`,
  categories: '{ body: categories { code name } }',
  keys: `{ body: keys ${KEY} }`,
  key: `query ($id: ID!) { body: key(id: $id) ${KEY} }`,
  activity: `query ($days: Int, $keyId: ID, $zone: String) { body: activity(days: $days, keyId: $keyId, zone: $zone) {
    total { ${COUNTS} } days { day ${COUNTS} } byStatus { status requests } byEndpoint { endpoint ${COUNTS} }
    byKey { keyId name environment ${COUNTS} } byError { code status message requests }
    unlisted } }`,
  calls: `query ($keyId: ID, $outcome: String, $endpoint: String, $errorCode: String, $requestId: ID, $since: Timestamp, $until: Timestamp,
    $status: Int, $first: Int, $after: String) {
    body: calls(status: $status, keyId: $keyId, outcome: $outcome, endpoint: $endpoint, errorCode: $errorCode, requestId: $requestId, since: $since,
      until: $until, first: $first, after: $after) {
      nodes { requestId at keyId keyName environment clientId endpoint registryId scopes status outcome errorCode
        errorMessage path param version tookMs address userAgent } ${PAGE} } }`,
  grants: `query ($status: [String!], $keyId: ID, $firmId: ID, $clientId: ID, $search: String, $expiringSoon: Boolean,
    $first: Int, $after: String) {
    body: grants(status: $status, keyId: $keyId, firmId: $firmId, clientId: $clientId, search: $search, expiringSoon: $expiringSoon,
      first: $first, after: $after) { nodes ${GRANT} ${PAGE} totalItems } }`,
  grant: `query ($id: ID!) { body: grant(id: $id) ${GRANT} }`,
  receipt: `query ($id: ID!, $eventId: ID!) { body: grant(id: $id) { receipt(eventId: $eventId) { receipt jws checkpoint } } }`,
  lastEvent: 'query ($id: ID!) { body: grant(id: $id) { lastEventId } }',
  testClients: `{ body: testClients { clients ${TEST_CLIENT} max } }`,
  grantCounts: '{ body: grantCounts { pending active expiringSoon ended } }',
  keySummary: `query ($keyId: ID!) { body: keySummary(keyId: $keyId) {
    keyId name environment firmId firmName firmIdentity ${IDENTITY} scopes activeGrantId pendingGrantId } }`,
  accessRecord: `query ($firmId: ID, $keyId: ID, $outcome: String, $endpoint: String, $registryId: String,
    $since: Timestamp, $until: Timestamp, $first: Int, $after: String) {
    body: accessRecord(firmId: $firmId, keyId: $keyId, outcome: $outcome, endpoint: $endpoint,
      registryId: $registryId, since: $since, until: $until, first: $first, after: $after) {
      nodes { requestId at firmId firmName keyId keyName environment endpoint registryId itemTitle scopes status
        outcome errorCode errorMessage toolRole toolId version contents items ${RECORDED} itemCount removedItems ${RECORDED}
        includes disclosed } ${PAGE} } }`,
  accessRecordParties: '{ body: accessRecordParties { firmId firmName keyId keyName } }',
  consentHistory: `query ($firmId: ID, $first: Int, $after: String) {
    body: consentHistory(firmId: $firmId, first: $first, after: $after) { nodes ${STEP} ${PAGE} } }`,
  consentFirms: '{ body: consentFirms { firmId firmName } }',
  ownItems: `query ($search: String, $categories: [String!], $collection: ID, $registryIds: [String!], $first: Int, $page: Int) {
    body: ownItems(search: $search, categories: $categories, collection: $collection, registryIds: $registryIds, first: $first,
      page: $page) { nodes { registryId title category } totalItems } }`,
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
  setFirmIdentity: `mutation ($address: String, $website: String, $email: String, $phone: String) {
    body: setFirmIdentity(address: $address, website: $website, email: $email, phone: $phone) ${IDENTITY} }`,
  noteTimeZone: 'mutation ($zone: String!) { body: noteTimeZone(zone: $zone) }',
  inviteMember: `mutation ($email: String!, $name: String!, $role: String!) {
    body: inviteMember(email: $email, name: $name, role: $role) ${TEAM} }`,
  withdrawInvitation: `mutation ($id: ID!) { body: withdrawInvitation(id: $id) ${TEAM} }`,
  setMemberRole: `mutation ($id: ID!, $role: String!) { body: setMemberRole(id: $id, role: $role) ${TEAM} }`,
  removeMember: `mutation ($id: ID!) { body: removeMember(id: $id) }`,
  resetMemberFactors: `mutation ($id: ID!, $reason: String!) { body: resetMemberFactors(id: $id, reason: $reason) ${TEAM} }`,
  requireSecondFactor: `mutation ($required: Boolean!) { body: requireSecondFactor(required: $required) ${TEAM} }`,
  createKey: `mutation ($id: ID, $name: String!, $environment: String!, $scopes: [String!]!, $expiresAt: Timestamp,
    $note: String, $allowedNetworks: [String!]) {
    body: createKey(id: $id, name: $name, environment: $environment, scopes: $scopes, expiresAt: $expiresAt, note: $note,
      allowedNetworks: $allowedNetworks) {
      secret key ${KEY} predecessor ${KEY} } }`,
  rotateKey: `mutation ($id: ID!, $overlapSeconds: Int) {
    body: rotateKey(id: $id, overlapSeconds: $overlapSeconds) { secret key ${KEY} predecessor ${KEY} } }`,
  changeKey: `mutation ($id: ID!, $name: String, $note: String, $expiresAt: Timestamp, $noExpiry: Boolean,
    $allowedNetworks: [String!], $networksBefore: [String!]) {
    body: changeKey(id: $id, name: $name, note: $note, expiresAt: $expiresAt, noExpiry: $noExpiry,
      allowedNetworks: $allowedNetworks, networksBefore: $networksBefore) ${KEY} }`,
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
    $noExpiry: Boolean, $basedOn: ID) {
    body: changeGrant(id: $id, scopes: $scopes, filter: $filter, expiresAt: $expiresAt, noExpiry: $noExpiry,
      basedOn: $basedOn) ${GRANT} }`,
  revokeGrant: `mutation ($id: ID!) { body: revokeGrant(id: $id) ${GRANT} }`,
  stopFirm: `mutation ($firmId: ID!) { body: stopFirm(firmId: $firmId) }`,
  createTestClient: `mutation ($name: String, $seed: Int, $idempotencyKey: ID) {
    body: createTestClient(name: $name, seed: $seed, idempotencyKey: $idempotencyKey) ${TEST_CLIENT} }`,
  deleteTestClient: `mutation ($id: ID!) { body: deleteTestClient(id: $id) { clients ${TEST_CLIENT} max } }`,
  stepAsTestClient: `mutation ($id: ID!, $step: String!, $scopes: [String!], $filter: GrantFilterInput) {
    body: stepAsTestClient(id: $id, step: $step, scopes: $scopes, filter: $filter) ${GRANT} }`,
  giveGrant: `mutation ($id: ID, $keyId: ID!, $scopes: [String!]!, $filter: GrantFilterInput!, $expiresAt: Timestamp) {
    body: giveGrant(id: $id, keyId: $keyId, scopes: $scopes, filter: $filter, expiresAt: $expiresAt) ${GRANT} }`,
  setKeyTier: `mutation ($keyId: ID!, $tier: String, $reason: String!, $endsAt: Timestamp) {
    body: setKeyTier(keyId: $keyId, tier: $tier, reason: $reason, endsAt: $endsAt) ${USAGE} }`,
  setKeyShadow: `mutation ($keyId: ID!, $shadowed: Boolean!, $reason: String!, $endsAt: Timestamp) {
    body: setKeyShadow(keyId: $keyId, shadowed: $shadowed, reason: $reason, endsAt: $endsAt) ${USAGE} }`,
  setTierShadow: `mutation ($tier: String!, $shadowed: Boolean!, $reason: String!, $endsAt: Timestamp) {
    body: setTierShadow(tier: $tier, shadowed: $shadowed, reason: $reason, endsAt: $endsAt) ${TIER_SHADOW} }`,
  setFirmLimit: `mutation ($firmId: ID!, $perMinute: Int, $lasting: Boolean, $reason: String!, $endsAt: Timestamp) {
    body: setFirmLimit(firmId: $firmId, perMinute: $perMinute, lasting: $lasting, reason: $reason, endsAt: $endsAt) {
      limit used remaining refused near } }`,
};
