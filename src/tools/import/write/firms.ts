// Tools: firms.ndjson into firms.
import type { Merge } from './merge.ts';

export const firms: Merge = {
  kind: 'firms',
  columns: {
    name: 's.name',
    plan: `coalesce(s.plan, 'none')`,
    // Whoever names the plan and says nothing more means one that runs.
    plan_active: `coalesce(s.plan_active, s.plan = 'enterprise', false)`,
    tier: `coalesce(s.tier, 'standard')`,
  },
  onUpdate: { updated_at: 'now_ms()' },
};
