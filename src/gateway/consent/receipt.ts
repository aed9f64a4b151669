// Gateway: consent receipts: the state after one step of a grant, with the field names of ISO/IEC TS 27560:2023.
import { ASSET_FIELDS } from '#core/fields/asset.ts';
import { DOCUMENT_FIELDS } from '#core/fields/document.ts';
import { type FieldTable, snakeCase } from '#core/fields/field.ts';
import { VALUATION_FIELDS } from '#core/fields/valuation.ts';
import type { GrantTransition } from '#core/grant-lifecycle.ts';
import { isScope, SCOPE_MEANINGS, type Scope, scopesOf } from '#core/scopes.ts';
import type { FirmIdentity } from '#repositories/firm-identities.ts';
import type { FilterView, GrantEventView, GrantView } from './grant-view.ts';

/**
 * The state after each action. A request gives nothing yet. Clients give no reason when they decline, revoke or narrow.
 */
const STATES: Record<GrantTransition, string> = {
  request: 'requested',
  grant: 'given',
  approve: 'given',
  change: 'given',
  decline: 'refused',
  withdraw: 'request_withdrawn',
  revoke: 'withdrawn',
  expire: 'expired',
};

/** Instants are RFC 3339 in UTC with milliseconds. What the reader of the receipt may not know is omitted. */
export interface Receipt {
  schema_version: 'ISO/IEC TS 27560:2023';
  /** Grant and step, as `<record_id>.<event id>`. */
  receipt_id: string;
  /** Id of the grant. */
  record_id: string;
  /** Origin of the signing gateway; null where it is not configured. */
  issuer: string | null;
  pii_principal_id: string | null;
  pii_processing: {
    purposes: {
      /** As stated by the firm; null where the client gave access without a request. */
      purpose: string | null;
      lawful_basis: 'consent';
      pii_controllers: string[];
      pii_information: { pii_type: string; description: string; pii_attributes: string[] }[];
      items: ReceiptItems;
      collection_method: string;
      withdrawal_method: string;
    }[];
  };
  party_identification: (
    | { party_id: string | null; party_type: 'pii_principal'; party_name: string | null }
    | {
        party_id: string;
        party_type: 'pii_controller';
        party_name: string;
        /** As stated by the firm at the time of the step; null where it had stated nothing. */
        party_address: string | null;
        party_url: string | null;
        party_email: string | null;
        party_phone: string | null;
      }
  )[];
  event: {
    event_id: string;
    event_time: string;
    event_type: 'explicit_consent';
    event_state: string;
    /** The action: request, grant, approve, decline, withdraw, change, revoke or expire. */
    action: string;
    entity: { kind: string; name: string };
    /** Null: until revoked. */
    valid_until: string | null;
  };
}

/** The client's items that the access covers. */
export interface ReceiptItems {
  type: FilterView['type'];
  categories?: { code: string; name: string }[];
  item_count?: number;
  registry_ids?: string[];
  collection?: { id: string; name: string | null };
}

/** A step of a grant, as shown to its reader. */
export interface ShownStep {
  grant: GrantView;
  event: GrantEventView;
  /** All events of the grant, newest first. */
  events: readonly GrantEventView[];
}

interface ReceiptParts {
  /** Origin of this gateway. */
  issuer: string | null;
  /** The firm's identity at the time of the step. */
  controller: FirmIdentity;
}

/**
 * The receipt of a step. It contains nothing about when it was requested, so that it is always the same. A step changes
 * the terms that it names; the others are as earlier steps set them.
 * After an erasure of the earlier steps, their terms are taken from the grant, which has no client any more and only
 * waits for its end.
 */
export function receiptOf({ grant, event, events }: ShownStep, { issuer, controller }: ReceiptParts): Receipt {
  const until = events.slice(events.indexOf(event));
  const items = until.find(({ filter }) => filter !== null)?.filter;
  const place = issuer === null ? 'the portal' : `${issuer}/portal/`;
  return {
    schema_version: 'ISO/IEC TS 27560:2023',
    receipt_id: `${grant.id}.${event.id}`,
    record_id: grant.id,
    issuer,
    pii_principal_id: grant.clientId,
    pii_processing: {
      purposes: [
        {
          purpose: until.find(({ purpose }) => purpose !== null)?.purpose ?? null,
          lawful_basis: 'consent',
          pii_controllers: [grant.firmId],
          pii_information: (until.find(({ scopes }) => scopes !== null)?.scopes ?? scopesOf(grant.scopes))
            .filter(isScope)
            .map(informationOf),
          items: itemsOf(items ?? grant.filter),
          collection_method: `Read by the firm through the API with its key ${event.keyName} (${event.keyId}).`,
          withdrawal_method: `At any time in ${place}, under Connected apps: Revoke access. It takes effect at once.`,
        },
      ],
    },
    party_identification: [
      { party_id: grant.clientId, party_type: 'pii_principal', party_name: grant.clientName },
      {
        ...{ party_id: grant.firmId, party_type: 'pii_controller', party_name: grant.firmName },
        ...{ party_address: controller.address, party_url: controller.website },
        ...{ party_email: controller.email, party_phone: controller.phone },
      },
    ],
    event: {
      event_id: event.id,
      event_time: event.at,
      event_type: 'explicit_consent',
      event_state: STATES[event.action],
      action: event.action,
      entity: event.actor,
      valid_until: (until.find(({ expirySet }) => expirySet) ?? grant).expiresAt,
    },
  };
}

const informationOf = (scope: Scope) => ({
  pii_type: scope,
  description: SCOPE_MEANINGS[scope],
  pii_attributes: [
    ...attributesOf(scope, 'asset', ASSET_FIELDS),
    ...attributesOf(scope, 'valuation', VALUATION_FIELDS),
    ...attributesOf(scope, 'document', DOCUMENT_FIELDS),
  ],
});

/** For example `valuation.appraiser`. */
function attributesOf(scope: Scope, resource: string, table: FieldTable): string[] {
  return Object.entries(table).flatMap(([name, field]) =>
    field.scope === scope ? [`${resource}.${snakeCase(name)}`] : [],
  );
}

function itemsOf({ type, categories, itemCount, registryIds, collection }: FilterView): ReceiptItems {
  return {
    type,
    ...(categories === null ? {} : { categories }),
    ...(itemCount === null ? {} : { item_count: itemCount }),
    ...(registryIds === null ? {} : { registry_ids: registryIds }),
    ...(collection === null ? {} : { collection: { id: collection.id, name: collection.name } }),
  };
}
