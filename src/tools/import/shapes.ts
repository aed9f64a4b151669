// Tools: the fields of each kind of row in this deployment.
import { DOCUMENT_FIELDS } from '#core/fields/document.ts';
import { VALUATION_FIELDS } from '#core/fields/valuation.ts';
import { ENVIRONMENTS } from '#core/principal.ts';
import { FIRM_TIERS } from '#core/tiers.ts';
import { FIRM_PLANS } from '#repositories/firms.ts';
import { assets } from './fields/assets.ts';
import { lineFields } from './fields/from-table.ts';
import type { Kind } from './kinds.ts';
import { boolean, creationOf, currency, email, id, name, oneOf, type Reader } from './readers.ts';
import type { ReferenceRows } from './reference-rows.ts';
import type { Field, Refuse, Row, RowShape } from './rows.ts';

export const shapesFor = (rows: ReferenceRows, platformPrefix: string): Record<Kind, RowShape> => ({
  firms: {
    fields: {
      id: required(id('firm')),
      name: required(name),
      plan: optional(oneOf(FIRM_PLANS)),
      plan_active: { read: boolean, type: 'boolean' },
      tier: optional(oneOf(FIRM_TIERS)),
    },
  },
  users: {
    fields: {
      id: required(id('user')),
      email: required(email),
      name: required(name),
      role: required(oneOf(['client', 'firm_member'])),
      firm_id: optional(id('firm')),
      environment: optional(oneOf(ENVIRONMENTS)),
      reporting_currency: optional(currency),
    },
    complete: judgeRole,
  },
  collections: { fields: { id: required(id('collection')), client_id: required(id('user')), name: required(name) } },
  assets: assets(rows, platformPrefix),
  valuations: {
    fields: lineFields(VALUATION_FIELDS, { source: oneOf(rows.valuationSources) }),
    complete: dateById,
  },
  documents: {
    fields: lineFields(DOCUMENT_FIELDS, { type: oneOf(rows.documentTypes) }),
    complete: dateById,
  },
});

const optional = (read: Reader): Field => ({ read, type: 'text' });
const required = (read: Reader): Field => ({ read, type: 'text', required: true });

function dateById(row: Row): void {
  if (typeof row.id === 'string') row.created_at ??= creationOf(row.id);
}

const CLIENT_FIELDS = ['environment', 'reporting_currency'];
const MEMBER_FIELDS = ['firm_id'];

/** Clients have an environment and members a firm; neither may have the other's fields. */
function judgeRole(row: Row, refuse: Refuse, given: Row): void {
  if (row.role === undefined) return;
  const [own, others] = row.role === 'client' ? [CLIENT_FIELDS, MEMBER_FIELDS] : [MEMBER_FIELDS, CLIENT_FIELDS];
  for (const field of own) if ((given[field] ?? null) === null) refuse(field, `is required for a ${row.role}`);
  for (const field of others) if ((given[field] ?? null) !== null) refuse(field, `is not for a ${row.role}`);
}
