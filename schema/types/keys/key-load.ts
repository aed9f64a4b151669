// Schema: what a key uses of its limit.
import type { Load } from '#gateway/operations/usage.ts';
import { builder } from '../../builder.ts';
import { loadFields } from './load.ts';

export const KeyLoad = builder.objectRef<Load>('KeyLoad').implement({
  description: 'How much of its limit a key uses right now; looking counts nothing.',
  fields: (t) => loadFields(t, { firm: true }),
});
