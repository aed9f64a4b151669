// Core: what the request path reports to metrics, logs and the access record.
import { EventEmitter } from 'node:events';
import type { ServiceRole } from './principal.ts';
import type { ScopeSet } from './scopes.ts';

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
  /** Null where the call was not refused. */
  errorCode: string | null;
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
  /** Seconds. */
  duration: number;
  errorCode: string | null;
  /** The service token that called, and the id of the key that it acted as, if any. */
  tool?: { role: ServiceRole; id: string; actedAs: string | null };
}

export interface FailureEvent {
  requestId: string | null;
  where: string;
  error: unknown;
}

interface EventMap {
  access: [AccessEvent];
  request: [RequestEvent];
  failure: [FailureEvent];
}

export type Events = EventEmitter<EventMap>;

export const createEvents = (): Events => new EventEmitter<EventMap>();
