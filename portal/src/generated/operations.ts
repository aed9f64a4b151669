// Written by portal/codegen.ts from src/operations and the committed schema.
import type { Operation } from '../graphql/operation.ts';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Which items: `type`, and the one member that the type names. */
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


export type AccessRecordQuery = { body: { nextCursor: string | null, nodes: Array<{ requestId: string, at: string, firmName: string, keyName: string, endpoint: string, registryId: string | null, itemTitle: string | null, outcome: string, status: number, errorCode: string | null, errorMessage: string | null, scopes: Array<string>, toolRole: string | null, contents: string, itemCount: number | null, includes: Array<string> | null }> } };

export type AccessRecordItemsQueryVariables = Exact<{
  requestId: string;
}>;


export type AccessRecordItemsQuery = { body: { nodes: Array<{ disclosed: Array<string> | null, includes: Array<string> | null, version: string | null, items: Array<{ registryId: string, title: string | null }> | null, removedItems: Array<{ registryId: string, title: string | null }> }> } };

export type AccessRecordPartiesQueryVariables = Exact<{ [key: string]: never; }>;


export type AccessRecordPartiesQuery = { body: Array<{ firmId: string, firmName: string, keyId: string, keyName: string }> };

export type ActivityQueryVariables = Exact<{
  days?: number | null | undefined;
  keyId?: string | null | undefined;
}>;


export type ActivityQuery = { body: { total: { requests: number, ok: number, refused: number, limited: number, failed: number }, days: Array<{ day: string, ok: number, refused: number, limited: number, failed: number }>, byEndpoint: Array<{ endpoint: string, requests: number, ok: number, refused: number, limited: number, failed: number }>, byError: Array<{ code: string, message: string, status: number, requests: number }>, byKey: Array<{ keyId: string, name: string, environment: string, requests: number, ok: number, refused: number, limited: number, failed: number }>, byStatus: Array<{ status: number, requests: number }> } };

export type ApproveGrantMutationVariables = Exact<{
  id: string;
  scopes?: Array<string> | string | null | undefined;
  filter?: GrantFilterInput | null | undefined;
  expiresAt?: string | null | undefined;
}>;


export type ApproveGrantMutation = { body: { id: string, status: string, firmName: string } };

export type CallsQueryVariables = Exact<{
  after?: string | null | undefined;
  endpoint?: string | null | undefined;
  errorCode?: string | null | undefined;
  first?: number | null | undefined;
  keyId?: string | null | undefined;
  outcome?: string | null | undefined;
  requestId?: string | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
}>;


export type CallsQuery = { body: { nextCursor: string | null, nodes: Array<{ at: string, requestId: string, status: number, outcome: string, endpoint: string, registryId: string | null, clientId: string, keyId: string, keyName: string, environment: string, scopes: Array<string>, errorCode: string | null, errorMessage: string | null }> } };

export type CategoriesQueryVariables = Exact<{ [key: string]: never; }>;


export type CategoriesQuery = { body: Array<{ code: string, name: string }> };

export type ChangeGrantMutationVariables = Exact<{
  id: string;
  scopes?: Array<string> | string | null | undefined;
  filter?: GrantFilterInput | null | undefined;
  expiresAt?: string | null | undefined;
  noExpiry?: boolean | null | undefined;
}>;


export type ChangeGrantMutation = { body: { id: string, status: string, firmName: string } };

export type ConnectionQueryVariables = Exact<{
  id: string;
}>;


export type ConnectionQuery = { body: { id: string, status: string, firmId: string, firmName: string, keyId: string, keyName: string, keyScopes: Array<string>, keyStatus: string, environment: string, scopes: Array<string>, purpose: string | null, createdAt: string, activatedAt: string | null, expiresAt: string | null, endedAt: string | null, expiringSoon: boolean, lastSeenAt: string | null, calls30Days: number, filter: { type: string, itemCount: number | null, registryIds: Array<string> | null, items: Array<{ registryId: string, title: string | null }> | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null }, events: Array<{ id: string, action: string, at: string, grantId: string, firmId: string, firmName: string, keyName: string, scopes: Array<string> | null, expirySet: boolean, expiresAt: string | null, purpose: string | null, actor: { kind: string, name: string }, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } | null }> } };

export type ConnectionsQueryVariables = Exact<{
  status?: Array<string> | string | null | undefined;
  firmId?: string | null | undefined;
  search?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ConnectionsQuery = { body: { totalItems: number, nextCursor: string | null, nodes: Array<{ id: string, status: string, firmId: string, firmName: string, keyId: string, keyName: string, keyStatus: string, scopes: Array<string>, keyScopes: Array<string>, purpose: string | null, createdAt: string, expiresAt: string | null, endedAt: string | null, expiringSoon: boolean, lastSeenAt: string | null, calls30Days: number, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } }> } };

export type ConsentHistoryQueryVariables = Exact<{
  firmId?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ConsentHistoryQuery = { body: { nextCursor: string | null, nodes: Array<{ id: string, action: string, at: string, grantId: string, firmId: string, firmName: string, keyName: string, scopes: Array<string> | null, expirySet: boolean, expiresAt: string | null, purpose: string | null, actor: { kind: string, name: string }, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } | null }> } };

export type CreateKeyMutationVariables = Exact<{
  id?: string | null | undefined;
  name: string;
  environment: string;
  scopes: Array<string> | string;
  expiresAt?: string | null | undefined;
}>;


export type CreateKeyMutation = { body: { secret: string, key: { id: string, name: string, environment: string, scopes: Array<string> } } };

export type DeclineGrantMutationVariables = Exact<{
  id: string;
}>;


export type DeclineGrantMutation = { body: { id: string, status: string, firmName: string } };

export type FirmKeyQueryVariables = Exact<{
  id: string;
}>;


export type FirmKeyQuery = { body: { id: string, name: string, environment: string, scopes: Array<string>, prefix: string, lastFour: string, tier: string, status: string, usable: boolean, createdAt: string, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null, rotatedFrom: string | null, rotatedTo: string | null, activeGrants: number, pendingGrants: number, createdBy: { kind: string, name: string }, revokedBy: { kind: string, name: string } | null, usage: { used: number, limit: number, remaining: number, refused: number, near: boolean } | null, traffic: { lastCallAt: string | null, last24Hours: number, last7Days: number }, events: Array<{ action: string, at: string, keyId: string, overlapMs: number | null, predecessor: string | null, successor: string | null, tier: string | null, actor: { kind: string, name: string } }> } };

export type FirmKeysQueryVariables = Exact<{ [key: string]: never; }>;


export type FirmKeysQuery = { body: Array<{ id: string, name: string, environment: string, scopes: Array<string>, prefix: string, lastFour: string, tier: string, status: string, usable: boolean, createdAt: string, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null, rotatedTo: string | null, activeGrants: number, pendingGrants: number, createdBy: { kind: string, name: string }, usage: { used: number, limit: number, refused: number, near: boolean } | null }> };

export type GiveGrantMutationVariables = Exact<{
  id?: string | null | undefined;
  keyId: string;
  scopes: Array<string> | string;
  filter: GrantFilterInput;
  expiresAt?: string | null | undefined;
}>;


export type GiveGrantMutation = { body: { id: string, status: string, firmName: string } };

export type GrantCountsQueryVariables = Exact<{ [key: string]: never; }>;


export type GrantCountsQuery = { body: { active: number, pending: number, expiringSoon: number, ended: number } };

export type GrantDetailQueryVariables = Exact<{
  id: string;
}>;


export type GrantDetailQuery = { body: { id: string, status: string, addressee: string | null, clientId: string | null, clientName: string | null, clientEmail: string | null, keyId: string, keyName: string, keyScopes: Array<string>, keyStatus: string, environment: string, scopes: Array<string>, purpose: string | null, createdAt: string, activatedAt: string | null, expiresAt: string | null, endedAt: string | null, expiringSoon: boolean, lastSeenAt: string | null, calls30Days: number, filter: { type: string, itemCount: number | null, registryIds: Array<string> | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null }, events: Array<{ id: string, action: string, at: string, expirySet: boolean, expiresAt: string | null, scopes: Array<string> | null, purpose: string | null, actor: { kind: string, name: string }, filter: { type: string, itemCount: number | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } | null }> } };

export type GrantsQueryVariables = Exact<{
  status?: Array<string> | string | null | undefined;
  keyId?: string | null | undefined;
  search?: string | null | undefined;
  expiringSoon?: boolean | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type GrantsQuery = { body: { totalItems: number, nextCursor: string | null, nodes: Array<{ id: string, status: string, addressee: string | null, clientId: string | null, clientName: string | null, clientEmail: string | null, keyId: string, keyName: string, keyStatus: string, environment: string, scopes: Array<string>, purpose: string | null, createdAt: string, activatedAt: string | null, expiresAt: string | null, endedAt: string | null, updatedAt: string, expiringSoon: boolean, lastSeenAt: string | null, calls30Days: number, filter: { type: string, itemCount: number | null, registryIds: Array<string> | null, categories: Array<{ code: string, name: string }> | null, collection: { id: string, name: string | null, itemCount: number } | null } }> } };

export type KeyChoicesQueryVariables = Exact<{ [key: string]: never; }>;


export type KeyChoicesQuery = { body: Array<{ id: string, name: string, environment: string, scopes: Array<string>, status: string, usable: boolean }> };

export type KeySummaryQueryVariables = Exact<{
  keyId: string;
}>;


export type KeySummaryQuery = { body: { keyId: string, name: string, firmId: string, firmName: string, environment: string, scopes: Array<string>, activeGrantId: string | null, pendingGrantId: string | null } };

export type LimitQueryVariables = Exact<{
  keyId: string;
}>;


export type LimitQuery = { body: { keyId: string, name: string, firmName: string, environment: string, tier: string, tierOverride: string | null, shadow: string | null, limit: number, used: number, refused: number, wouldRefuse: number, near: boolean, shadowHistory: Array<{ shadowed: boolean, at: string, reason: string, actor: { kind: string, name: string } }>, firm: { limit: number, used: number } | null, firmLimitHistory: Array<{ at: string, limit: number | null, actor: { kind: string, name: string } }>, tierHistory: Array<{ at: string, tier: string | null, actor: { kind: string, name: string } }> } };

export type LimitsQueryVariables = Exact<{ [key: string]: never; }>;


export type LimitsQuery = { body: Array<{ keyId: string, name: string, firmId: string, firmName: string, environment: string, tier: string, tierOverride: string | null, shadow: string | null, limit: number, used: number, remaining: number, refused: number, wouldRefuse: number, near: boolean }> };

export type NotificationSettingsQueryVariables = Exact<{ [key: string]: never; }>;


export type NotificationSettingsQuery = { body: { available: boolean, topics: Array<{ topic: string, mails: boolean, required: boolean }> } };

export type OwnCategoriesQueryVariables = Exact<{ [key: string]: never; }>;


export type OwnCategoriesQuery = { body: Array<{ code: string, name: string, itemCount: number }> };

export type OwnCollectionsQueryVariables = Exact<{ [key: string]: never; }>;


export type OwnCollectionsQuery = { body: Array<{ id: string, name: string, itemCount: number }> };

export type OwnItemIdsQueryVariables = Exact<{
  search?: string | null | undefined;
  categories?: Array<string> | string | null | undefined;
  collection?: string | null | undefined;
}>;


export type OwnItemIdsQuery = { body: Array<string> };

export type OwnItemsQueryVariables = Exact<{
  search?: string | null | undefined;
  categories?: Array<string> | string | null | undefined;
  collection?: string | null | undefined;
  registryIds?: Array<string> | string | null | undefined;
  first?: number | null | undefined;
  page?: number | null | undefined;
}>;


export type OwnItemsQuery = { body: { totalItems: number, nodes: Array<{ registryId: string, title: string, category: string }> } };

export type PreviewQueryVariables = Exact<{
  grantId?: string | null | undefined;
  keyId?: string | null | undefined;
  scopes?: Array<string> | string | null | undefined;
  filter?: GrantFilterInput | null | undefined;
  request: string;
  version?: string | null | undefined;
}>;


export type PreviewQuery = { body: { status: number, body: string } };

export type ReceiptQueryVariables = Exact<{
  grantId: string;
  eventId: string;
}>;


export type ReceiptQuery = { body: { id: string, receipt: { receipt: string, jws: string } | null } };

export type RequestGrantMutationVariables = Exact<{
  id?: string | null | undefined;
  client: string;
  keyId: string;
  scopes: Array<string> | string;
  filter: GrantFilterInput;
  expiresAt?: string | null | undefined;
  purpose?: string | null | undefined;
}>;


export type RequestGrantMutation = { body: { id: string, status: string } };

export type RevokeGrantMutationVariables = Exact<{
  id: string;
}>;


export type RevokeGrantMutation = { body: { id: string, status: string, firmName: string } };

export type RevokeKeyMutationVariables = Exact<{
  id: string;
}>;


export type RevokeKeyMutation = { body: { id: string, status: string, revokedAt: string | null } };

export type RotateKeyMutationVariables = Exact<{
  id: string;
  overlapSeconds?: number | null | undefined;
}>;


export type RotateKeyMutation = { body: { secret: string, key: { id: string, name: string, environment: string, scopes: Array<string> }, predecessor: { id: string, expiresAt: string | null, status: string } | null } };

export type SetKeyTierMutationVariables = Exact<{
  keyId: string;
  tier?: string | null | undefined;
}>;


export type SetKeyTierMutation = { body: { keyId: string, tier: string, tierOverride: string | null, limit: number } };

export type SetNotificationMutationVariables = Exact<{
  topic: string;
  mails: boolean;
}>;


export type SetNotificationMutation = { body: { available: boolean, topics: Array<{ topic: string, mails: boolean, required: boolean }> } };

export type StopFirmMutationVariables = Exact<{
  firmId: string;
}>;


export type StopFirmMutation = { body: number };

export type SystemStateQueryVariables = Exact<{ [key: string]: never; }>;


export type SystemStateQuery = { body: { at: string, startedAt: string, limiter: { state: string, since: string, latencyMs: number | null, reason: string | null }, database: { latencyMs: number, version: string, sizeBytes: number, connections: number | null, mostConnections: number | null } | null, replicas: Array<{ name: string, usable: boolean }>, records: { saved: number, waiting: number } } };

export type TierShadowsQueryVariables = Exact<{ [key: string]: never; }>;


export type TierShadowsQuery = { body: Array<{ tier: string, shadowed: boolean, history: Array<{ at: string, reason: string, actor: { kind: string, name: string } }> }> };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { body: { userId: string, name: string, email: string, role: string, environment: string | null, reportingCurrency: string | null, apiBaseUrl: string | null, apiVersion: string, firm: { id: string, name: string, plan: string, planActive: boolean, tier: string, limit: { used: number, limit: number, refused: number } | null } | null, scopes: Array<{ name: string, meaning: string }>, tiers: Array<{ tier: string, limit: number }> } };

export type WhatIfQueryVariables = Exact<{
  tier: string;
  firmId?: string | null | undefined;
}>;


export type WhatIfQuery = { body: { tier: string, limit: number, since: string, until: string, wouldRefuse: number, keys: Array<{ keyId: string, name: string, firmId: string, firmName: string, environment: string, tier: string, requests: number, refused: number, wouldRefuse: number, peakRequests: number, peakAt: string }> } };

export type WithdrawGrantMutationVariables = Exact<{
  id: string;
}>;


export type WithdrawGrantMutation = { body: { id: string, status: string } };

export const AccessRecord = { name: 'AccessRecord' } as Operation<AccessRecordQuery['body'], AccessRecordQueryVariables>;
export const AccessRecordItems = { name: 'AccessRecordItems' } as Operation<AccessRecordItemsQuery['body'], AccessRecordItemsQueryVariables>;
export const AccessRecordParties = { name: 'AccessRecordParties' } as Operation<AccessRecordPartiesQuery['body'], AccessRecordPartiesQueryVariables>;
export const Activity = { name: 'Activity' } as Operation<ActivityQuery['body'], ActivityQueryVariables>;
export const ApproveGrant = { name: 'ApproveGrant' } as Operation<ApproveGrantMutation['body'], ApproveGrantMutationVariables>;
export const Calls = { name: 'Calls' } as Operation<CallsQuery['body'], CallsQueryVariables>;
export const Categories = { name: 'Categories' } as Operation<CategoriesQuery['body'], CategoriesQueryVariables>;
export const ChangeGrant = { name: 'ChangeGrant' } as Operation<ChangeGrantMutation['body'], ChangeGrantMutationVariables>;
export const Connection = { name: 'Connection' } as Operation<ConnectionQuery['body'], ConnectionQueryVariables>;
export const Connections = { name: 'Connections' } as Operation<ConnectionsQuery['body'], ConnectionsQueryVariables>;
export const ConsentHistory = { name: 'ConsentHistory' } as Operation<ConsentHistoryQuery['body'], ConsentHistoryQueryVariables>;
export const CreateKey = { name: 'CreateKey' } as Operation<CreateKeyMutation['body'], CreateKeyMutationVariables>;
export const DeclineGrant = { name: 'DeclineGrant' } as Operation<DeclineGrantMutation['body'], DeclineGrantMutationVariables>;
export const FirmKey = { name: 'FirmKey' } as Operation<FirmKeyQuery['body'], FirmKeyQueryVariables>;
export const FirmKeys = { name: 'FirmKeys' } as Operation<FirmKeysQuery['body'], FirmKeysQueryVariables>;
export const GiveGrant = { name: 'GiveGrant' } as Operation<GiveGrantMutation['body'], GiveGrantMutationVariables>;
export const GrantCounts = { name: 'GrantCounts' } as Operation<GrantCountsQuery['body'], GrantCountsQueryVariables>;
export const GrantDetail = { name: 'GrantDetail' } as Operation<GrantDetailQuery['body'], GrantDetailQueryVariables>;
export const Grants = { name: 'Grants' } as Operation<GrantsQuery['body'], GrantsQueryVariables>;
export const KeyChoices = { name: 'KeyChoices' } as Operation<KeyChoicesQuery['body'], KeyChoicesQueryVariables>;
export const KeySummary = { name: 'KeySummary' } as Operation<KeySummaryQuery['body'], KeySummaryQueryVariables>;
export const Limit = { name: 'Limit' } as Operation<LimitQuery['body'], LimitQueryVariables>;
export const Limits = { name: 'Limits' } as Operation<LimitsQuery['body'], LimitsQueryVariables>;
export const NotificationSettings = { name: 'NotificationSettings' } as Operation<NotificationSettingsQuery['body'], NotificationSettingsQueryVariables>;
export const OwnCategories = { name: 'OwnCategories' } as Operation<OwnCategoriesQuery['body'], OwnCategoriesQueryVariables>;
export const OwnCollections = { name: 'OwnCollections' } as Operation<OwnCollectionsQuery['body'], OwnCollectionsQueryVariables>;
export const OwnItemIds = { name: 'OwnItemIds' } as Operation<OwnItemIdsQuery['body'], OwnItemIdsQueryVariables>;
export const OwnItems = { name: 'OwnItems' } as Operation<OwnItemsQuery['body'], OwnItemsQueryVariables>;
export const Preview = { name: 'Preview' } as Operation<PreviewQuery['body'], PreviewQueryVariables>;
export const Receipt = { name: 'Receipt' } as Operation<ReceiptQuery['body'], ReceiptQueryVariables>;
export const RequestGrant = { name: 'RequestGrant' } as Operation<RequestGrantMutation['body'], RequestGrantMutationVariables>;
export const RevokeGrant = { name: 'RevokeGrant' } as Operation<RevokeGrantMutation['body'], RevokeGrantMutationVariables>;
export const RevokeKey = { name: 'RevokeKey' } as Operation<RevokeKeyMutation['body'], RevokeKeyMutationVariables>;
export const RotateKey = { name: 'RotateKey' } as Operation<RotateKeyMutation['body'], RotateKeyMutationVariables>;
export const SetKeyTier = { name: 'SetKeyTier' } as Operation<SetKeyTierMutation['body'], SetKeyTierMutationVariables>;
export const SetNotification = { name: 'SetNotification' } as Operation<SetNotificationMutation['body'], SetNotificationMutationVariables>;
export const StopFirm = { name: 'StopFirm' } as Operation<StopFirmMutation['body'], StopFirmMutationVariables>;
export const SystemState = { name: 'SystemState' } as Operation<SystemStateQuery['body'], SystemStateQueryVariables>;
export const TierShadows = { name: 'TierShadows' } as Operation<TierShadowsQuery['body'], TierShadowsQueryVariables>;
export const Viewer = { name: 'Viewer' } as Operation<ViewerQuery['body'], ViewerQueryVariables>;
export const WhatIf = { name: 'WhatIf' } as Operation<WhatIfQuery['body'], WhatIfQueryVariables>;
export const WithdrawGrant = { name: 'WithdrawGrant' } as Operation<WithdrawGrantMutation['body'], WithdrawGrantMutationVariables>;
