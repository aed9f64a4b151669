// Core: what the request path reports to metrics, logs and the access record.
import { EventEmitter } from 'node:events';
import type { Disclosure } from './disclosure.ts';
import type { ServiceRole } from './principal.ts';
import type { ScopeSet } from './scopes.ts';
import type { StageTimes } from './stages.ts';
import type { Tier } from './tiers.ts';

/** One area A call with a valid key, or a tool's read as one; becomes an access record where the client exists. */
export interface AccessEvent {
  requestId: string;
  at: string;
  firmId: string;
  keyId: string;
  /** Null where none was named that exists. */
  clientId: string | null;
  endpoint: string;
  registryId: string | null;
  scopes: ScopeSet;
  status: number;
  /** The grant that let it in; absent where none did. */
  grantId?: string | undefined;
  /** Null where the call was not refused. */
  errorCode: string | null;
  /** What the answer carried; absent where the call was refused. */
  disclosure?: Disclosure;
  /** Version of the API that the answer was written in; absent for tools. */
  version?: string;
  /** Of the service token, where a tool read as the key; absent: the firm's own call. */
  toolRole?: ServiceRole;
  toolId?: string;
}

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
  way: 'password' | 'provider' | 'code' | 'recovery_code';
  /** `second_factor`: the password was right, and a code is asked for. */
  outcome: 'signed_in' | 'second_factor' | 'refused' | 'limited' | 'failed';
}

interface EventMap {
  access: [AccessEvent];
  request: [RequestEvent];
  failure: [FailureEvent];
  signIn: [SignInEvent];
}

export type Events = EventEmitter<EventMap>;

export const createEvents = (): Events => new EventEmitter<EventMap>();
