// Core: what the request path reports to metrics, logs and the access record.
import { EventEmitter } from 'node:events';
import type { ScopeSet } from './scopes.ts';

/** One area A call with a valid key; becomes an access record where the client exists. */
export interface AccessEvent {
  requestId: string;
  at: string;
  firmId: string;
  keyId: string;
  clientId: string;
  endpoint: string;
  registryId: string | null;
  scopes: ScopeSet;
  status: number;
  /** Null where the call was not refused. */
  errorCode: string | null;
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
