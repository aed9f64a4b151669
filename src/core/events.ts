// Core: what the request path reports to metrics, logs and the access record.
import { EventEmitter } from 'node:events';
import type { Disclosure } from './disclosure.ts';
import type { ServiceRole } from './principal.ts';
import type { ScopeSet } from './scopes.ts';
import type { StageTimes } from './stages.ts';
import type { Tier } from './tiers.ts';

/** What is recorded of every call of area A. The texts are the caller's own, and may be anything. */
export interface CallEvent {
  requestId: string;
  at: string;
  endpoint: string;
  registryId: string | null;
  status: number;
  /** Null where the call was not refused. */
  errorCode: string | null;
  /** The parameter or header at fault, and what the caller was told; absent where the call was not refused. */
  param?: string | undefined;
  message?: string | undefined;
  /** Version of the API that it was made in; absent where it named none that is served, and for tools. */
  version?: string | undefined;
  /** From the head of the request to the answer; absent for tools. */
  tookMs?: number;
  /** Absent for tools. */
  address?: string;
  userAgent?: string | undefined;
}

/** One area A call with a valid key, or a tool's read as one; becomes an access record where the client exists. */
export interface AccessEvent extends CallEvent {
  firmId: string;
  keyId: string;
  /** Null where none was named that exists. */
  clientId: string | null;
  /** What the caller named as the client, where it has the form of an id; absent for tools. */
  namedClientId?: string | null;
  scopes: ScopeSet;
  /** The grant that let it in; absent where none did. */
  grantId?: string | undefined;
  /** What the answer carried; absent where the call was refused. */
  disclosure?: Disclosure;
  /** Of the service token, where a tool read as the key; absent: the firm's own call. */
  toolRole?: ServiceRole;
  toolId?: string;
}

/** A call of area A with the secret of a key of sound form that was not let in as that key, or to no route. */
export interface AttemptEvent extends CallEvent {
  /** Of the secret; whether there is such a key is not known. */
  keyHash: Buffer;
  /** Absent where the path is a route's. */
  path?: string;
}

/** A call of area A without anything that has the form of a key. */
export interface StrangerEvent {
  at: string;
  errorCode: string;
}

/** Calls that are counted and kept in no other way. */
export interface CallCount extends Pick<CallEvent, 'endpoint' | 'status' | 'errorCode'> {
  /** UTC. */
  day: string;
  caller: Pick<AccessEvent, 'firmId' | 'keyId'> | Pick<AttemptEvent, 'keyHash'>;
  calls: number;
}

/** Calls that are recorded together, or not at all. The same batch has the same writer and number, however often it is saved. */
export interface AccessBatch {
  writer: string;
  /** Ascending. */
  number: number;
  /** `listed`: the firm may see it in any case; others only where a grant joined key and client. */
  calls: readonly { event: AccessEvent; listed: boolean }[];
  attempts: readonly AttemptEvent[];
  counts: readonly CallCount[];
  /** By UTC day. */
  strangers: readonly StrangerCount[];
}

export interface StrangerCount {
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
  /** How long it took, and what of it where. */
  times: StageTimes;
  /** Whether it is traced; its notes may be gone by the time somebody looks. */
  traced: boolean;
  /** The API key that called, where a valid one did. */
  key: { id: string; firmId: string; tier: Tier } | null;
  /** Whether it was let through with less than a tenth of its key's limit left. */
  nearLimit: boolean;
  /** What it would have been refused with, were its key's limit not in shadow mode; null: nothing. */
  shadowRefusal: string | null;
  /** The limit of its key, or of its firm, of which at least four fifths are used or that refused it; null where none. */
  pressure: { of: 'key' | 'firm'; limit: number; refused: boolean } | null;
  /** The network that it came from, coarse enough to be no person's. */
  network(): string;
  /** The caller's own name for it, where it is of a form that may be logged. */
  callersId: string | null;
  /** The caller's `traceparent` as it was sent: text from outside. */
  traceparent: string | undefined;
  /** The service token that called, and the id of the key that it acted as, if any. */
  tool?: { role: ServiceRole; id: string; actedAs: string | null };
}

export interface FailureEvent {
  requestId: string | null;
  where: string;
  error: unknown;
}

/** An attempt to sign in to the portal. */
export interface SignInEvent {
  way: 'password' | 'provider' | 'code' | 'recovery_code' | 'passkey';
  /** `second_factor`: the password was right, and a code is asked for. */
  outcome: 'signed_in' | 'second_factor' | 'refused' | 'limited' | 'failed';
}

interface EventMap {
  access: [AccessEvent];
  attempt: [AttemptEvent];
  stranger: [StrangerEvent];
  request: [RequestEvent];
  failure: [FailureEvent];
  signIn: [SignInEvent];
}

export type Events = EventEmitter<EventMap>;

export const createEvents = (): Events => new EventEmitter<EventMap>();
