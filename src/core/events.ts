// Core: what the request path reports to metrics, logs and the access record.
import { EventEmitter } from 'node:events';
import type { Disclosure } from './disclosure.ts';
import type { ServiceRole } from './principal.ts';
import type { ScopeSet } from './scopes.ts';
import type { StageTimes } from './stages.ts';
import type { Tier } from './tiers.ts';

/** What is recorded of every call of area A. Texts come from the caller unchecked. */
export interface CallEvent {
  requestId: string;
  at: string;
  endpoint: string;
  registryId: string | null;
  status: number;
  /** Null where the call was not refused. */
  errorCode: string | null;
  /** The parameter or header at fault, and the message sent to the caller; absent where the call was not refused. */
  param?: string | undefined;
  message?: string | undefined;
  /** API version of the call; absent where it named no supported version, and for tools. */
  version?: string | undefined;
  /** Milliseconds from the request's header to the response; absent for tools. */
  tookMs?: number;
  /** Absent for tools. */
  address?: string;
  userAgent?: string | undefined;
}

/** One area A call with a valid key, or a tool's read on behalf of one. Recorded where the client exists. */
export interface AccessEvent extends CallEvent {
  firmId: string;
  keyId: string;
  /** Null where the call named no existing client. */
  clientId: string | null;
  /** The client id in the request, where it has the form of an id; absent for tools. */
  namedClientId?: string | null;
  scopes: ScopeSet;
  /** The grant that allowed the call; absent where none did. */
  grantId?: string | undefined;
  /** What the response disclosed; absent where the call was refused. */
  disclosure?: Disclosure;
  /** Role of the service token, where a tool read on behalf of the key; absent for the firm's own calls. */
  toolRole?: ServiceRole;
  toolId?: string;
}

/** A call of area A with a well-formed key that was not accepted, or to a path that matches no route. */
export interface AttemptEvent extends CallEvent {
  /** Hash of the secret. It is not known whether the key exists. */
  keyHash: Buffer;
  /** Absent where the path matches a route. */
  path?: string;
}

/** A call of area A without a well-formed key. */
export interface UnauthenticatedCall {
  at: string;
  errorCode: string;
}

/** Calls that are only counted. */
export interface CallCount extends Pick<CallEvent, 'endpoint' | 'status' | 'errorCode'> {
  /** UTC. */
  day: string;
  caller: Pick<AccessEvent, 'firmId' | 'keyId'> | Pick<AttemptEvent, 'keyHash'>;
  calls: number;
}

/** Calls that are saved in one transaction. A retried batch has the same writer and number. */
export interface AccessBatch {
  writer: string;
  /** Ascending. */
  number: number;
  /** `listed`: the firm always sees the call in its list; otherwise only where a grant joined key and client. */
  calls: readonly { event: AccessEvent; listed: boolean }[];
  attempts: readonly AttemptEvent[];
  counts: readonly CallCount[];
  /**
   * Counts of calls without a well-formed or known key, by UTC day. The queue of the access record stores batches under
   * this name.
   */
  strangers: readonly UnauthenticatedCount[];
}

export interface UnauthenticatedCount {
  day: string;
  errorCode: string;
  calls: number;
}

/** The UTC day of an RFC 3339 time in UTC. */
export const dayOf = (at: string): string => at.slice(0, 10);

export interface RequestEvent {
  area: 'portfolio' | 'plants' | 'graphql' | 'portal';
  /** Route template or operation name; `none` where no route matched. */
  endpoint: string;
  method: string;
  status: number;
  requestId: string;
  errorCode: string | null;
  /** How long the request took, by stage. */
  times: StageTimes;
  /** Whether requests are traced. */
  traced: boolean;
  /** The API key, where the call had a valid one. */
  key: { id: string; firmId: string; tier: Tier } | null;
  /** The refusal that shadow mode of its key's limit prevented; null where there was none. */
  shadowRefusal: string | null;
  /** The limit of the key or firm that refused the request, or whose use is near it; null: none. */
  nearLimit: { of: 'key' | 'firm'; limit: number; refused: boolean } | null;
  /** The caller's network, too coarse to identify a person. */
  network(): string;
  /** The caller's own request id, where its form allows logging it. */
  callersId: string | null;
  /** The caller's `traceparent` header as sent, unchecked. */
  traceparent: string | undefined;
  /** The service token of the call, and the id of the key that it acted as, if any. */
  tool?: { role: ServiceRole; id: string; actedAs: string | null } | undefined;
}

export interface FailureEvent {
  requestId: string | null;
  /** The area and route template of the request, or the name of the background work. */
  where: string;
  error: unknown;
}

/** An attempt to sign in to the portal. */
export interface SignInEvent {
  way: 'password' | 'provider' | 'code' | 'recovery_code' | 'passkey';
  /** `second_factor`: the password was right, and a code is required. */
  outcome: 'signed_in' | 'second_factor' | 'refused' | 'limited' | 'failed';
}

interface EventMap {
  access: [AccessEvent];
  attempt: [AttemptEvent];
  unauthenticated: [UnauthenticatedCall];
  request: [RequestEvent];
  failure: [FailureEvent];
  signIn: [SignInEvent];
}

export type Events = EventEmitter<EventMap>;

export const createEvents = (): Events => new EventEmitter<EventMap>();
