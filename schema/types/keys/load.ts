// Schema: how much of a limit is in use, for each of those who may look: a firm at its own, operations at all.
import type { Load } from '#gateway/operations/usage.ts';
import type { FieldBuilder } from '../../builder.ts';

type Viewers = { firm: true } | { portal: true } | { operations: true };

export function loadFields<Shape extends Load>(t: FieldBuilder<Shape>, authScopes: Viewers) {
  const count = (name: 'limit' | 'used' | 'remaining' | 'refused', description: string) =>
    t.int({ authScopes, description, resolve: (load) => load[name] });
  return {
    limit: count('limit', 'Requests in any 60 seconds.'),
    used: count('used', 'Counted in the last 60 seconds.'),
    remaining: count('remaining', 'What is left of it.'),
    refused: count('refused', 'Refused by the limit in about the last 60 seconds.'),
    near: t.boolean({ authScopes, description: 'At 80 % or more of the limit.', resolve: ({ near }) => near }),
  };
}
