// Core: the canonical texts of ledger entries, to which the log commits. A field never changes its meaning or place.
import type { IncludeSet } from '../disclosure.ts';
import type { ScopeSet } from '../scopes.ts';
import { sha256 } from '../sha256.ts';

/** A call about a client, as the access record keeps it. */
export interface RecordedCall {
  requestId: string;
  at: string;
  clientId: string;
  firmId: string;
  keyId: string;
  /** Method and route; `*` as the route if none matched. */
  endpoint: string;
  registryId: string | null;
  scopes: ScopeSet;
  status: number;
  errorCode: string | null;
  /** From the service token, if a tool of the platform read with the key. */
  toolRole: string | null;
  toolId: string | null;
  /** Packed numbers of the items in the response, and of those reported as removed; null if not recorded or empty. */
  items: Buffer | null;
  removed: Buffer | null;
  /** Scopes of the fields in the response, and lists that were included with its items; null if not recorded. */
  disclosed: ScopeSet | null;
  includes: IncludeSet | null;
  /** Version of the API; null for tools and if not recorded. */
  version: string | null;
}

export function callText(call: RecordedCall): string {
  return JSON.stringify({
    kind: 'call',
    id: call.requestId,
    at: call.at,
    client: call.clientId,
    firm: call.firmId,
    key: call.keyId,
    endpoint: call.endpoint,
    registry_id: call.registryId,
    scopes: call.scopes,
    status: call.status,
    error: call.errorCode,
    tool_role: call.toolRole,
    tool: call.toolId,
    items: call.items?.toString('base64') ?? null,
    removed: call.removed?.length ? call.removed.toString('base64') : null,
    disclosed: call.disclosed,
    includes: call.includes,
    version: call.version,
  });
}

/**
 * The subject and the text of an entry for a call that named no existing client. The text is the same for all such
 * calls: the number of entries is public, and must not reveal who is a client.
 */
export const NOBODY = 'nobody';
export const NOBODYS_TEXT = JSON.stringify({ kind: 'call', client: null });

/** A step of a grant or of a key. */
export interface RecordedStep {
  source: StepSource;
  /** Id of the event. */
  id: string;
  at: string;
  /** The client of a grant; null where the request reached no client, and for steps of keys. */
  clientId: string | null;
  firmId: string;
  /** The key; for a grant, the first key of its lineage. */
  keyId: string;
  grantId: string | null;
  actor: string;
  action: string;
  details: unknown;
}

export type StepSource = 'grant_events' | 'key_events';

export function stepText({ source, ...step }: RecordedStep): string {
  return JSON.stringify({
    kind: source === 'grant_events' ? 'consent' : 'key',
    id: step.id,
    at: step.at,
    client: step.clientId,
    firm: step.firmId,
    key: step.keyId,
    grant: step.grantId,
    actor: step.actor,
    action: step.action,
    details: step.details,
  });
}

export const digestOf = (text: string): Buffer => sha256(text);
