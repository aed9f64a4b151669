// Written by portal/codegen.ts from src/operations and the committed schema.
import type { Operation } from '../graphql/operation.ts';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** The items: `type`, and the one member that belongs to the type. */
export type GrantFilterInput = {
  /** Category codes, for the type `category`. */
  categories?: Array<string> | null | undefined;
  /** Collection id, for the type `collection`. */
  collection?: string | null | undefined;
  /** Registry ids, up to 10,000, for the type `items`. */
  items?: Array<string> | null | undefined;
  /** all, category, items or collection. */
  type: string;
};

export type AccessRecordQueryVariables = Exact<{
  firmId?: string | null | undefined;
  keyId?: string | null | undefined;
  outcome?: string | null | undefined;
  endpoint?: string | null | undefined;
  registryId?: string | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type AccessRecordQuery = { body: { nextCursor: string | null, nodes: Array<{ requestId: string, at: string, firmName: string, keyName: string, endpoint: string, registryId: string | null, itemTitle: string | null, outcome: string, status: number, errorCode: string | null, scopes: Array<string>, toolRole: string | null, contents: string, itemCount: number | null }> } };

export type AccessRecordItemsQueryVariables = Exact<{
  requestId: string;
}>;


export type AccessRecordItemsQuery = { body: { nodes: Array<{ disclosed: Array<string> | null, includes: Array<string> | null, items: Array<{ registryId: string, title: string | null }> | null, removedItems: Array<{ registryId: string, title: string | null }> }> } };

export type AccessRecordPartiesQueryVariables = Exact<{ [key: string]: never; }>;


export type AccessRecordPartiesQuery = { body: Array<{ firmId: string, firmName: string, keyId: string, keyName: string }> };

export type GrantsQueryVariables = Exact<{
  status?: Array<string> | string | null | undefined;
  keyId?: string | null | undefined;
  search?: string | null | undefined;
  expiringSoon?: boolean | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type GrantsQuery = { body: { totalItems: number, nextCursor: string | null, nodes: Array<{ addressee: string | null, clientId: string | null, clientName: string | null, clientEmail: string | null, testClient: boolean, environment: string, id: string, status: string, keyId: string, keyName: string, keyStatus: string, scopes: Array<string>, keyScopes: Array<string>, purpose: string | null, createdAt: string, expiresAt: string | null, endedAt: string | null, expiringSoon: boolean, lastSeenAt: string | null, calls30Days: number, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } }> } };

export type GrantDetailQueryVariables = Exact<{
  id: string;
}>;


export type GrantDetailQuery = { body: { addressee: string | null, clientId: string | null, clientName: string | null, clientEmail: string | null, testClient: boolean, environment: string, id: string, status: string, keyId: string, keyName: string, keyStatus: string, scopes: Array<string>, keyScopes: Array<string>, purpose: string | null, createdAt: string, expiresAt: string | null, endedAt: string | null, expiringSoon: boolean, lastSeenAt: string | null, calls30Days: number, events: Array<{ id: string, action: string, at: string, scopes: Array<string> | null, expirySet: boolean, expiresAt: string | null, purpose: string | null, actor: { kind: string, name: string }, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } | null }>, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } } };

export type GrantCountsQueryVariables = Exact<{ [key: string]: never; }>;


export type GrantCountsQuery = { body: { active: number, pending: number, expiringSoon: number, ended: number } };

export type RequestGrantMutationVariables = Exact<{
  id?: string | null | undefined;
  client: string;
  keyId: string;
  scopes: Array<string> | string;
  filter: GrantFilterInput;
  expiresAt?: string | null | undefined;
  purpose?: string | null | undefined;
}>;


export type RequestGrantMutation = { body: { id: string } };

export type WithdrawGrantMutationVariables = Exact<{
  id: string;
}>;


export type WithdrawGrantMutation = { body: { id: string } };

export type ActivityQueryVariables = Exact<{
  days?: number | null | undefined;
  keyId?: string | null | undefined;
  zone?: string | null | undefined;
}>;


export type ActivityQuery = { body: { unlisted: number, total: { requests: number, ok: number, refused: number, limited: number, failed: number }, days: Array<{ day: string, ok: number, refused: number, limited: number, failed: number }>, byEndpoint: Array<{ endpoint: string, requests: number, ok: number, refused: number, limited: number, failed: number }>, byError: Array<{ code: string, message: string, status: number, requests: number }>, byKey: Array<{ keyId: string, name: string, requests: number, ok: number, refused: number, limited: number, failed: number }>, byStatus: Array<{ status: number, requests: number }> } };

export type CallsQueryVariables = Exact<{
  after?: string | null | undefined;
  endpoint?: string | null | undefined;
  errorCode?: string | null | undefined;
  first?: number | null | undefined;
  keyId?: string | null | undefined;
  outcome?: string | null | undefined;
  requestId?: string | null | undefined;
  since?: string | null | undefined;
  status?: number | null | undefined;
  until?: string | null | undefined;
}>;


export type CallsQuery = { body: { nextCursor: string | null, nodes: Array<{ at: string, requestId: string, status: number, outcome: string, endpoint: string, registryId: string | null, clientId: string | null, keyId: string, keyName: string, environment: string, errorCode: string | null, errorMessage: string | null, param: string | null, path: string | null, version: string | null, tookMs: number | null, address: string | null, userAgent: string | null }> } };

export type ClientGrantsQueryVariables = Exact<{
  status?: Array<string> | string | null | undefined;
  firmId?: string | null | undefined;
  search?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ClientGrantsQuery = { body: { totalItems: number, nextCursor: string | null, nodes: Array<{ firmId: string, firmName: string, id: string, status: string, keyId: string, keyName: string, keyStatus: string, scopes: Array<string>, keyScopes: Array<string>, purpose: string | null, createdAt: string, expiresAt: string | null, endedAt: string | null, expiringSoon: boolean, lastSeenAt: string | null, calls30Days: number, firmIdentity: { address: string | null, website: string | null, email: string | null, phone: string | null }, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } }> } };

export type ClientGrantDetailQueryVariables = Exact<{
  id: string;
}>;


export type ClientGrantDetailQuery = { body: { environment: string, activatedAt: string | null, lastEventId: string | null, firmId: string, firmName: string, id: string, status: string, keyId: string, keyName: string, keyStatus: string, scopes: Array<string>, keyScopes: Array<string>, purpose: string | null, createdAt: string, expiresAt: string | null, endedAt: string | null, expiringSoon: boolean, lastSeenAt: string | null, calls30Days: number, filter: { registryIds: Array<string> | null, type: string, itemCount: number | null, items: Array<{ registryId: string, title: string | null }> | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null }, events: Array<{ grantId: string, firmName: string, keyName: string, id: string, action: string, at: string, scopes: Array<string> | null, expirySet: boolean, expiresAt: string | null, purpose: string | null, actor: { kind: string, name: string }, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } | null }>, firmIdentity: { address: string | null, website: string | null, email: string | null, phone: string | null } } };

export type KeySummaryQueryVariables = Exact<{
  keyId: string;
}>;


export type KeySummaryQuery = { body: { keyId: string, name: string, firmName: string, scopes: Array<string>, activeGrantId: string | null, pendingGrantId: string | null, firmIdentity: { address: string | null, website: string | null, email: string | null, phone: string | null } } };

export type PreviewQueryVariables = Exact<{
  grantId?: string | null | undefined;
  keyId?: string | null | undefined;
  scopes?: Array<string> | string | null | undefined;
  filter?: GrantFilterInput | null | undefined;
  request: string;
}>;


export type PreviewQuery = { body: { status: number, body: string } };

export type ConsentHistoryQueryVariables = Exact<{
  firmId?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ConsentHistoryQuery = { body: { nextCursor: string | null, nodes: Array<{ grantId: string, firmName: string, keyName: string, id: string, action: string, at: string, scopes: Array<string> | null, expirySet: boolean, expiresAt: string | null, purpose: string | null, actor: { kind: string, name: string }, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } | null }> } };

export type ConsentFirmsQueryVariables = Exact<{ [key: string]: never; }>;


export type ConsentFirmsQuery = { body: Array<{ firmId: string, firmName: string }> };

export type ApproveGrantMutationVariables = Exact<{
  id: string;
  scopes?: Array<string> | string | null | undefined;
  filter?: GrantFilterInput | null | undefined;
  expiresAt?: string | null | undefined;
}>;


export type ApproveGrantMutation = { body: { firmName: string } };

export type DeclineGrantMutationVariables = Exact<{
  id: string;
}>;


export type DeclineGrantMutation = { body: { id: string } };

export type ChangeGrantMutationVariables = Exact<{
  id: string;
  scopes?: Array<string> | string | null | undefined;
  filter?: GrantFilterInput | null | undefined;
  expiresAt?: string | null | undefined;
  noExpiry?: boolean | null | undefined;
  basedOn?: string | null | undefined;
}>;


export type ChangeGrantMutation = { body: { firmName: string } };

export type RevokeGrantMutationVariables = Exact<{
  id: string;
}>;


export type RevokeGrantMutation = { body: { id: string } };

export type StopFirmMutationVariables = Exact<{
  firmId: string;
}>;


export type StopFirmMutation = { body: number };

export type GiveGrantMutationVariables = Exact<{
  id?: string | null | undefined;
  keyId: string;
  scopes: Array<string> | string;
  filter: GrantFilterInput;
  expiresAt?: string | null | undefined;
}>;


export type GiveGrantMutation = { body: { id: string, firmName: string } };

export type FirmDetailsQueryVariables = Exact<{ [key: string]: never; }>;


export type FirmDetailsQuery = { body: { firm: { name: string, identity: { address: string | null, website: string | null, email: string | null, phone: string | null }, identityHistory: Array<{ at: string, parts: Array<string>, actor: { name: string } }> } | null } };

export type SetFirmIdentityMutationVariables = Exact<{
  address?: string | null | undefined;
  website?: string | null | undefined;
  email?: string | null | undefined;
  phone?: string | null | undefined;
}>;


export type SetFirmIdentityMutation = { body: { address: string | null, website: string | null, email: string | null, phone: string | null } };

export type FirmKeysQueryVariables = Exact<{ [key: string]: never; }>;


export type FirmKeysQuery = { body: Array<{ id: string, name: string, environment: string, scopes: Array<string>, prefix: string, lastFour: string, tier: string, status: string, createdAt: string, expiresAt: string | null, lastUsedAt: string | null, createdBy: { name: string }, usage: { used: number, limit: number, refused: number } | null }> };

export type KeyChoicesQueryVariables = Exact<{ [key: string]: never; }>;


export type KeyChoicesQuery = { body: Array<{ id: string, name: string, lastFour: string, environment: string, scopes: Array<string>, status: string }> };

export type FirmKeyQueryVariables = Exact<{
  id: string;
}>;


export type FirmKeyQuery = { body: { note: string | null, allowedNetworks: Array<string>, usable: boolean, rotatedTo: string | null, activeGrants: number, pendingGrants: number, revokedAt: string | null, id: string, name: string, environment: string, scopes: Array<string>, prefix: string, lastFour: string, tier: string, status: string, createdAt: string, expiresAt: string | null, lastUsedAt: string | null, revokedBy: { name: string } | null, traffic: { lastCallAt: string | null, last24Hours: number, last7Days: number }, events: Array<{ action: string, at: string, keyId: string, overlapMs: number | null, predecessor: string | null, tier: string | null, actor: { name: string }, changes: Array<{ property: string, before: Array<string>, after: Array<string> }> }>, createdBy: { name: string }, usage: { used: number, limit: number, refused: number } | null } };

export type KeyUseQueryVariables = Exact<{
  id: string;
  days?: number | null | undefined;
  zone?: string | null | undefined;
}>;


export type KeyUseQuery = { body: { id: string, use: { days: Array<string>, counts: Array<{ day: string, endpoint: string, requests: number, ok: number, refused: number, limited: number, failed: number }> } } };

export type ChangeKeyMutationVariables = Exact<{
  id: string;
  name?: string | null | undefined;
  note?: string | null | undefined;
  expiresAt?: string | null | undefined;
  noExpiry?: boolean | null | undefined;
  allowedNetworks?: Array<string> | string | null | undefined;
  networksBefore?: Array<string> | string | null | undefined;
}>;


export type ChangeKeyMutation = { body: { id: string, name: string } };

export type CreateKeyMutationVariables = Exact<{
  id?: string | null | undefined;
  name: string;
  environment: string;
  scopes: Array<string> | string;
  expiresAt?: string | null | undefined;
  note?: string | null | undefined;
  allowedNetworks?: Array<string> | string | null | undefined;
}>;


export type CreateKeyMutation = { body: { secret: string, key: { id: string, name: string } } };

export type RotateKeyMutationVariables = Exact<{
  id: string;
  overlapSeconds?: number | null | undefined;
}>;


export type RotateKeyMutation = { body: { secret: string, key: { id: string, name: string }, predecessor: { id: string } | null } };

export type RevokeKeyMutationVariables = Exact<{
  id: string;
}>;


export type RevokeKeyMutation = { body: { id: string } };

export type LimitHistoryQueryVariables = Exact<{
  span: string;
  tier?: string | null | undefined;
  keyId?: string | null | undefined;
}>;


export type LimitHistoryQuery = { body: { seconds: number, keyCount: number, bars: Array<{ at: string, admitted: number, refused: number, near: number, letPass: number }>, tiers: Array<{ tier: string, admitted: number, refused: number, near: number, letPass: number }>, keys: Array<{ keyId: string, name: string, firmName: string, admitted: number, refused: number, near: number, letPass: number }> } };

export type GatewayProcessesQueryVariables = Exact<{ [key: string]: never; }>;


export type GatewayProcessesQuery = { body: Array<{ id: string, host: string, seenAt: string, startedAt: string, silent: boolean, limiter: string, limiterSince: string, limiterReason: string | null, recordsWaiting: number, replicasAway: number }> };

export type LimitsQueryVariables = Exact<{ [key: string]: never; }>;


export type LimitsQuery = { body: Array<{ keyId: string, name: string, firmId: string, firmName: string, environment: string, tier: string, tierOverride: string | null, shadow: string | null, limit: number, used: number, refused: number, wouldRefuse: number, near: boolean }> };

export type LimitQueryVariables = Exact<{
  keyId: string;
}>;


export type LimitQuery = { body: { tierOverrideEndsAt: string | null, keyId: string, name: string, firmId: string, firmName: string, environment: string, tier: string, tierOverride: string | null, shadow: string | null, limit: number, used: number, refused: number, wouldRefuse: number, near: boolean, firmIdentity: { address: string | null, website: string | null, email: string | null, phone: string | null }, shadowHistory: Array<{ at: string, shadowed: boolean | null, reason: string | null, endsAt: string | null, ended: boolean, actor: { name: string } }>, firm: { limit: number, used: number } | null, firmLimitHistory: Array<{ at: string, limit: number | null, reason: string | null, endsAt: string | null, ended: boolean, actor: { name: string } }>, tierHistory: Array<{ at: string, tier: string | null, reason: string | null, endsAt: string | null, ended: boolean, actor: { name: string } }> } };

export type TierShadowsQueryVariables = Exact<{ [key: string]: never; }>;


export type TierShadowsQuery = { body: Array<{ tier: string, shadowed: boolean, endsAt: string | null, history: Array<{ at: string, shadowed: boolean | null, reason: string | null, endsAt: string | null, ended: boolean, actor: { name: string } }> }> };

export type SystemStateQueryVariables = Exact<{ [key: string]: never; }>;


export type SystemStateQuery = { body: { limiter: { state: string, since: string, latencyMs: number | null, reason: string | null }, database: { latencyMs: number, version: string, sizeBytes: number, connections: number | null, mostConnections: number | null } | null, replicas: Array<{ name: string, usable: boolean }>, records: { waiting: number } } };

export type WhatIfQueryVariables = Exact<{
  tier: string;
  firmId?: string | null | undefined;
}>;


export type WhatIfQuery = { body: { tier: string, limit: number, since: string, until: string, wouldRefuse: number, keys: Array<{ keyId: string, name: string, firmName: string, environment: string, tier: string, requests: number, refused: number, wouldRefuse: number, peakRequests: number, peakAt: string }> } };

export type SetKeyShadowMutationVariables = Exact<{
  keyId: string;
  shadowed: boolean;
  reason: string;
  endsAt?: string | null | undefined;
}>;


export type SetKeyShadowMutation = { body: { keyId: string } };

export type SetTierShadowMutationVariables = Exact<{
  tier: string;
  shadowed: boolean;
  reason: string;
  endsAt?: string | null | undefined;
}>;


export type SetTierShadowMutation = { body: { tier: string } };

export type SetFirmLimitMutationVariables = Exact<{
  firmId: string;
  perMinute?: number | null | undefined;
  lasting?: boolean | null | undefined;
  reason: string;
  endsAt?: string | null | undefined;
}>;


export type SetFirmLimitMutation = { body: { limit: number } | null };

export type SetKeyTierMutationVariables = Exact<{
  keyId: string;
  tier?: string | null | undefined;
  reason: string;
  endsAt?: string | null | undefined;
}>;


export type SetKeyTierMutation = { body: { keyId: string, tier: string, limit: number } };

export type NotificationSettingsQueryVariables = Exact<{ [key: string]: never; }>;


export type NotificationSettingsQuery = { body: { available: boolean, topics: Array<{ topic: string, mails: boolean, required: boolean }> } };

export type SetNotificationMutationVariables = Exact<{
  topic: string;
  mails: boolean;
}>;


export type SetNotificationMutation = { body: { available: boolean } };

export type OwnItemsQueryVariables = Exact<{
  search?: string | null | undefined;
  categories?: Array<string> | string | null | undefined;
  collection?: string | null | undefined;
  registryIds?: Array<string> | string | null | undefined;
  first?: number | null | undefined;
  page?: number | null | undefined;
}>;


export type OwnItemsQuery = { body: { totalItems: number, nodes: Array<{ registryId: string, title: string, category: string }> } };

export type OwnItemIdsQueryVariables = Exact<{
  search?: string | null | undefined;
  categories?: Array<string> | string | null | undefined;
  collection?: string | null | undefined;
}>;


export type OwnItemIdsQuery = { body: Array<string> };

export type OwnCategoriesQueryVariables = Exact<{ [key: string]: never; }>;


export type OwnCategoriesQuery = { body: Array<{ code: string, name: string, itemCount: number }> };

export type OwnCollectionsQueryVariables = Exact<{ [key: string]: never; }>;


export type OwnCollectionsQuery = { body: Array<{ id: string, name: string, itemCount: number }> };

export type ReceiptQueryVariables = Exact<{
  grantId: string;
  eventId: string;
}>;


export type ReceiptQuery = { body: { receipt: { receipt: string, jws: string, checkpoint: string | null } | null, events: Array<{ id: string, keyName: string }> } };

export type TeamQueryVariables = Exact<{ [key: string]: never; }>;


export type TeamQuery = { body: { secondFactorRequired: boolean, sendsMail: boolean, roles: Array<{ role: string, meaning: string }>, members: Array<{ id: string, name: string, email: string, role: string, self: boolean, lastSeenAt: string | null, authenticatorApp: boolean, passkeys: number }>, invitations: Array<{ id: string, email: string, name: string, role: string, createdAt: string, expiresAt: string, expired: boolean, inviter: { name: string } }> } };

export type InviteMemberMutationVariables = Exact<{
  email: string;
  name: string;
  role: string;
}>;


export type InviteMemberMutation = { body: { secondFactorRequired: boolean } };

export type WithdrawInvitationMutationVariables = Exact<{
  id: string;
}>;


export type WithdrawInvitationMutation = { body: { secondFactorRequired: boolean } };

export type SetMemberRoleMutationVariables = Exact<{
  id: string;
  role: string;
}>;


export type SetMemberRoleMutation = { body: { secondFactorRequired: boolean } };

export type RemoveMemberMutationVariables = Exact<{
  id: string;
}>;


export type RemoveMemberMutation = { body: boolean };

export type ResetMemberFactorsMutationVariables = Exact<{
  id: string;
  reason: string;
}>;


export type ResetMemberFactorsMutation = { body: { secondFactorRequired: boolean } };

export type RequireSecondFactorMutationVariables = Exact<{
  required: boolean;
}>;


export type RequireSecondFactorMutation = { body: { secondFactorRequired: boolean } };

export type FirmEventsQueryVariables = Exact<{
  group?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type FirmEventsQuery = { body: { nextCursor: string | null, nodes: Array<{ id: string, at: string, actorId: string | null, group: string, action: string, subject: string | null, name: string | null, details: unknown, actor: { name: string } }> } };

export type TestClientsQueryVariables = Exact<{ [key: string]: never; }>;


export type TestClientsQuery = { body: { max: number, clients: Array<{ id: string, name: string, itemCount: number, createdAt: string }> } };

export type TestClientGrantsQueryVariables = Exact<{
  clientId: string;
  status?: Array<string> | string | null | undefined;
  first: number;
}>;


export type TestClientGrantsQuery = { body: { totalItems: number, nodes: Array<{ id: string, status: string, keyId: string, keyName: string, scopes: Array<string>, expiresAt: string | null, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } }> } };

export type CreateTestClientMutationVariables = Exact<{
  idempotencyKey?: string | null | undefined;
}>;


export type CreateTestClientMutation = { body: { id: string, name: string, itemCount: number, createdAt: string } };

export type DeleteTestClientMutationVariables = Exact<{
  id: string;
}>;


export type DeleteTestClientMutation = { body: { clients: Array<{ id: string }> } };

export type StepAsTestClientMutationVariables = Exact<{
  id: string;
  step: string;
  scopes?: Array<string> | string | null | undefined;
  filter?: GrantFilterInput | null | undefined;
}>;


export type StepAsTestClientMutation = { body: { id: string } };

export type UnauthenticatedCallsQueryVariables = Exact<{
  days?: number | null | undefined;
}>;


export type UnauthenticatedCallsQuery = { body: { days: Array<string>, counts: Array<{ day: string, errorCode: string, calls: number }> } };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { body: { userId: string, name: string, email: string, role: string, firmRole: string | null, environment: string | null, timeZone: string | null, apiBaseUrl: string | null, apiVersion: string, maxKeyLifetimeDays: number | null, firm: { id: string, name: string, planActive: boolean, tier: string, limit: { used: number, limit: number, refused: number } | null } | null, tiers: Array<{ tier: string, limit: number }> } };

export type CategoriesQueryVariables = Exact<{ [key: string]: never; }>;


export type CategoriesQuery = { body: Array<{ code: string, name: string }> };

export type NoteTimeZoneMutationVariables = Exact<{
  zone: string;
}>;


export type NoteTimeZoneMutation = { body: string };

export type FirmGrantFragment = { addressee: string | null, clientId: string | null, clientName: string | null, clientEmail: string | null, testClient: boolean, environment: string, id: string, status: string, keyId: string, keyName: string, keyStatus: string, scopes: Array<string>, keyScopes: Array<string>, purpose: string | null, createdAt: string, expiresAt: string | null, endedAt: string | null, expiringSoon: boolean, lastSeenAt: string | null, calls30Days: number, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } };

export type ClientGrantFragment = { firmId: string, firmName: string, id: string, status: string, keyId: string, keyName: string, keyStatus: string, scopes: Array<string>, keyScopes: Array<string>, purpose: string | null, createdAt: string, expiresAt: string | null, endedAt: string | null, expiringSoon: boolean, lastSeenAt: string | null, calls30Days: number, firmIdentity: { address: string | null, website: string | null, email: string | null, phone: string | null }, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } };

export type ClientEventFragment = { grantId: string, firmName: string, keyName: string, id: string, action: string, at: string, scopes: Array<string> | null, expirySet: boolean, expiresAt: string | null, purpose: string | null, actor: { kind: string, name: string }, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } | null };

export type FirmContactFragment = { address: string | null, website: string | null, email: string | null, phone: string | null };

export type FilterTermsFragment = { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null };

export type GrantTermsFragment = { id: string, status: string, keyId: string, keyName: string, keyStatus: string, scopes: Array<string>, keyScopes: Array<string>, purpose: string | null, createdAt: string, expiresAt: string | null, endedAt: string | null, expiringSoon: boolean, lastSeenAt: string | null, calls30Days: number, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } };

export type EventTermsFragment = { id: string, action: string, at: string, scopes: Array<string> | null, expirySet: boolean, expiresAt: string | null, purpose: string | null, actor: { kind: string, name: string }, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } | null };

export type FirmKeyFieldsFragment = { id: string, name: string, environment: string, scopes: Array<string>, prefix: string, lastFour: string, tier: string, status: string, createdAt: string, expiresAt: string | null, lastUsedAt: string | null, createdBy: { name: string }, usage: { used: number, limit: number, refused: number } | null };

export type KeyLimitFragment = { keyId: string, name: string, firmId: string, firmName: string, environment: string, tier: string, tierOverride: string | null, shadow: string | null, limit: number, used: number, refused: number, wouldRefuse: number, near: boolean };

export type ShadowTermsFragment = { at: string, shadowed: boolean | null, reason: string | null, endsAt: string | null, ended: boolean, actor: { name: string } };

export type TestClientFieldsFragment = { id: string, name: string, itemCount: number, createdAt: string };

export const AccessRecord = { name: 'AccessRecord' } as Operation<AccessRecordQuery['body'], AccessRecordQueryVariables>;
export const AccessRecordItems = { name: 'AccessRecordItems' } as Operation<AccessRecordItemsQuery['body'], AccessRecordItemsQueryVariables>;
export const AccessRecordParties = { name: 'AccessRecordParties' } as Operation<AccessRecordPartiesQuery['body'], AccessRecordPartiesQueryVariables>;
export const Activity = { name: 'Activity' } as Operation<ActivityQuery['body'], ActivityQueryVariables>;
export const ApproveGrant = { name: 'ApproveGrant' } as Operation<ApproveGrantMutation['body'], ApproveGrantMutationVariables>;
export const Calls = { name: 'Calls' } as Operation<CallsQuery['body'], CallsQueryVariables>;
export const Categories = { name: 'Categories' } as Operation<CategoriesQuery['body'], CategoriesQueryVariables>;
export const ChangeGrant = { name: 'ChangeGrant' } as Operation<ChangeGrantMutation['body'], ChangeGrantMutationVariables>;
export const ChangeKey = { name: 'ChangeKey' } as Operation<ChangeKeyMutation['body'], ChangeKeyMutationVariables>;
export const ClientGrantDetail = { name: 'ClientGrantDetail' } as Operation<ClientGrantDetailQuery['body'], ClientGrantDetailQueryVariables>;
export const ClientGrants = { name: 'ClientGrants' } as Operation<ClientGrantsQuery['body'], ClientGrantsQueryVariables>;
export const ConsentFirms = { name: 'ConsentFirms' } as Operation<ConsentFirmsQuery['body'], ConsentFirmsQueryVariables>;
export const ConsentHistory = { name: 'ConsentHistory' } as Operation<ConsentHistoryQuery['body'], ConsentHistoryQueryVariables>;
export const CreateKey = { name: 'CreateKey' } as Operation<CreateKeyMutation['body'], CreateKeyMutationVariables>;
export const CreateTestClient = { name: 'CreateTestClient' } as Operation<CreateTestClientMutation['body'], CreateTestClientMutationVariables>;
export const DeclineGrant = { name: 'DeclineGrant' } as Operation<DeclineGrantMutation['body'], DeclineGrantMutationVariables>;
export const DeleteTestClient = { name: 'DeleteTestClient' } as Operation<DeleteTestClientMutation['body'], DeleteTestClientMutationVariables>;
export const FirmDetails = { name: 'FirmDetails' } as Operation<FirmDetailsQuery['body'], FirmDetailsQueryVariables>;
export const FirmEvents = { name: 'FirmEvents' } as Operation<FirmEventsQuery['body'], FirmEventsQueryVariables>;
export const FirmKey = { name: 'FirmKey' } as Operation<FirmKeyQuery['body'], FirmKeyQueryVariables>;
export const FirmKeys = { name: 'FirmKeys' } as Operation<FirmKeysQuery['body'], FirmKeysQueryVariables>;
export const GatewayProcesses = { name: 'GatewayProcesses' } as Operation<GatewayProcessesQuery['body'], GatewayProcessesQueryVariables>;
export const GiveGrant = { name: 'GiveGrant' } as Operation<GiveGrantMutation['body'], GiveGrantMutationVariables>;
export const GrantCounts = { name: 'GrantCounts' } as Operation<GrantCountsQuery['body'], GrantCountsQueryVariables>;
export const GrantDetail = { name: 'GrantDetail' } as Operation<GrantDetailQuery['body'], GrantDetailQueryVariables>;
export const Grants = { name: 'Grants' } as Operation<GrantsQuery['body'], GrantsQueryVariables>;
export const InviteMember = { name: 'InviteMember' } as Operation<InviteMemberMutation['body'], InviteMemberMutationVariables>;
export const KeyChoices = { name: 'KeyChoices' } as Operation<KeyChoicesQuery['body'], KeyChoicesQueryVariables>;
export const KeySummary = { name: 'KeySummary' } as Operation<KeySummaryQuery['body'], KeySummaryQueryVariables>;
export const KeyUse = { name: 'KeyUse' } as Operation<KeyUseQuery['body'], KeyUseQueryVariables>;
export const Limit = { name: 'Limit' } as Operation<LimitQuery['body'], LimitQueryVariables>;
export const LimitHistory = { name: 'LimitHistory' } as Operation<LimitHistoryQuery['body'], LimitHistoryQueryVariables>;
export const Limits = { name: 'Limits' } as Operation<LimitsQuery['body'], LimitsQueryVariables>;
export const NoteTimeZone = { name: 'NoteTimeZone' } as Operation<NoteTimeZoneMutation['body'], NoteTimeZoneMutationVariables>;
export const NotificationSettings = { name: 'NotificationSettings' } as Operation<NotificationSettingsQuery['body'], NotificationSettingsQueryVariables>;
export const OwnCategories = { name: 'OwnCategories' } as Operation<OwnCategoriesQuery['body'], OwnCategoriesQueryVariables>;
export const OwnCollections = { name: 'OwnCollections' } as Operation<OwnCollectionsQuery['body'], OwnCollectionsQueryVariables>;
export const OwnItemIds = { name: 'OwnItemIds' } as Operation<OwnItemIdsQuery['body'], OwnItemIdsQueryVariables>;
export const OwnItems = { name: 'OwnItems' } as Operation<OwnItemsQuery['body'], OwnItemsQueryVariables>;
export const Preview = { name: 'Preview' } as Operation<PreviewQuery['body'], PreviewQueryVariables>;
export const Receipt = { name: 'Receipt' } as Operation<ReceiptQuery['body'], ReceiptQueryVariables>;
export const RemoveMember = { name: 'RemoveMember' } as Operation<RemoveMemberMutation['body'], RemoveMemberMutationVariables>;
export const RequestGrant = { name: 'RequestGrant' } as Operation<RequestGrantMutation['body'], RequestGrantMutationVariables>;
export const RequireSecondFactor = { name: 'RequireSecondFactor' } as Operation<RequireSecondFactorMutation['body'], RequireSecondFactorMutationVariables>;
export const ResetMemberFactors = { name: 'ResetMemberFactors' } as Operation<ResetMemberFactorsMutation['body'], ResetMemberFactorsMutationVariables>;
export const RevokeGrant = { name: 'RevokeGrant' } as Operation<RevokeGrantMutation['body'], RevokeGrantMutationVariables>;
export const RevokeKey = { name: 'RevokeKey' } as Operation<RevokeKeyMutation['body'], RevokeKeyMutationVariables>;
export const RotateKey = { name: 'RotateKey' } as Operation<RotateKeyMutation['body'], RotateKeyMutationVariables>;
export const SetFirmIdentity = { name: 'SetFirmIdentity' } as Operation<SetFirmIdentityMutation['body'], SetFirmIdentityMutationVariables>;
export const SetFirmLimit = { name: 'SetFirmLimit' } as Operation<SetFirmLimitMutation['body'], SetFirmLimitMutationVariables>;
export const SetKeyShadow = { name: 'SetKeyShadow' } as Operation<SetKeyShadowMutation['body'], SetKeyShadowMutationVariables>;
export const SetKeyTier = { name: 'SetKeyTier' } as Operation<SetKeyTierMutation['body'], SetKeyTierMutationVariables>;
export const SetMemberRole = { name: 'SetMemberRole' } as Operation<SetMemberRoleMutation['body'], SetMemberRoleMutationVariables>;
export const SetNotification = { name: 'SetNotification' } as Operation<SetNotificationMutation['body'], SetNotificationMutationVariables>;
export const SetTierShadow = { name: 'SetTierShadow' } as Operation<SetTierShadowMutation['body'], SetTierShadowMutationVariables>;
export const StepAsTestClient = { name: 'StepAsTestClient' } as Operation<StepAsTestClientMutation['body'], StepAsTestClientMutationVariables>;
export const StopFirm = { name: 'StopFirm' } as Operation<StopFirmMutation['body'], StopFirmMutationVariables>;
export const SystemState = { name: 'SystemState' } as Operation<SystemStateQuery['body'], SystemStateQueryVariables>;
export const Team = { name: 'Team' } as Operation<TeamQuery['body'], TeamQueryVariables>;
export const TestClientGrants = { name: 'TestClientGrants' } as Operation<TestClientGrantsQuery['body'], TestClientGrantsQueryVariables>;
export const TestClients = { name: 'TestClients' } as Operation<TestClientsQuery['body'], TestClientsQueryVariables>;
export const TierShadows = { name: 'TierShadows' } as Operation<TierShadowsQuery['body'], TierShadowsQueryVariables>;
export const UnauthenticatedCalls = { name: 'UnauthenticatedCalls' } as Operation<UnauthenticatedCallsQuery['body'], UnauthenticatedCallsQueryVariables>;
export const Viewer = { name: 'Viewer' } as Operation<ViewerQuery['body'], ViewerQueryVariables>;
export const WhatIf = { name: 'WhatIf' } as Operation<WhatIfQuery['body'], WhatIfQueryVariables>;
export const WithdrawGrant = { name: 'WithdrawGrant' } as Operation<WithdrawGrantMutation['body'], WithdrawGrantMutationVariables>;
export const WithdrawInvitation = { name: 'WithdrawInvitation' } as Operation<WithdrawInvitationMutation['body'], WithdrawInvitationMutationVariables>;
