// Tools: what is written to the table of each kind.
import { ASSET_FIELDS } from '#core/fields/asset.ts';
import { DOCUMENT_FIELDS } from '#core/fields/document.ts';
import { VALUATION_FIELDS } from '#core/fields/valuation.ts';
import { stagedColumns } from '../fields/from-table.ts';
import type { Kind } from '../kinds.ts';
import { BELONGINGS } from './assets.ts';
import type { Merge } from './merge.ts';
import { freeAddresses, lockAddresses, withdrawInvitations } from './users.ts';

const NOW = { updated_at: 'now_ms()' };

// The row's trigger sets the present time if that is later, and keeps the old one if nothing relevant changed.
const OF_LINE = { updated_at: 'coalesce(s.updated_at, t.updated_at)' };
const OF_NEW_LINE = {
  updated_at: 'case when c.fresh then coalesce(s.updated_at, now_ms()) else greatest(s.updated_at, now_ms()) end',
};

export const MERGES: Record<Kind, Merge> = {
  firms: {
    columns: {
      name: 's.name',
      plan: `coalesce(s.plan, 'none')`,
      // A plan without `plan_active` is active.
      plan_active: `coalesce(s.plan_active, s.plan = 'enterprise', false)`,
      tier: `coalesce(s.tier, 'standard')`,
    },
    onUpdate: NOW,
  },
  users: {
    before: async (sql) => {
      await withdrawInvitations(sql);
      await lockAddresses(sql);
      await freeAddresses(sql);
    },
    columns: {
      email: 's.email',
      name: 's.name',
      role: 's.role',
      firm_id: 's.firm_id',
      environment: 's.environment',
      reporting_currency: 's.reporting_currency',
    },
    onUpdate: NOW,
  },
  collections: { columns: { client_id: 's.client_id', name: 's.name' }, onUpdate: NOW },
  assets: {
    // `internal_notes` of existing items are written last (writeInternalNotes).
    columns: stagedColumns(ASSET_FIELDS, ['updated_at', 'internal_notes']),
    joins: 'join import_clients c on c.id = s.client_id join import_currencies k on k.code = c.reporting_currency',
    onUpdate: OF_LINE,
    onInsert: { registry_id: 's.registry_id', internal_notes: 's.internal_notes', ...OF_NEW_LINE },
    alongside: BELONGINGS,
  },
  valuations: { columns: stagedColumns(VALUATION_FIELDS) },
  documents: {
    columns: stagedColumns(DOCUMENT_FIELDS, ['updated_at']),
    joins: 'join items i on i.id = s.asset_id join import_clients c on c.id = i.client_id',
    onUpdate: OF_LINE,
    onInsert: OF_NEW_LINE,
  },
};
