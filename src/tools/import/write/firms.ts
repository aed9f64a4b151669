// Tools: firms.ndjson into firms.
import type { Merge } from './merge.ts';

export const firms: Merge = {
  kind: 'firms',
  columns: {
    name: 's.name',
    plan: `coalesce(s.plan, 'none')`,
    // A plan without `plan_active` is active.
    plan_active: `coalesce(s.plan_active, s.plan = 'enterprise', false)`,
    tier: `coalesce(s.tier, 'standard')`,
  },
  onUpdate: { updated_at: 'now_ms()' },
};
