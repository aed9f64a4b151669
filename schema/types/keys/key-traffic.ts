// Schema: how often a key was used recently.
import type { KeyTraffic as KeyTrafficShape } from '#repositories/keys/key-queries.ts';
import { builder } from '../../builder.ts';

const ofFirm = { firm: true } as const;

export const KeyTraffic = builder.objectRef<KeyTrafficShape>('KeyTraffic').implement({
  description: 'Recent calls of a key, about clients that a grant or request named.',
  fields: (t) => ({
    last24Hours: t.exposeInt('last24Hours', { authScopes: ofFirm, description: 'Calls in the last 24 hours.' }),
    last7Days: t.exposeInt('last7Days', { authScopes: ofFirm, description: 'Calls in the last 7 days.' }),
    lastCallAt: t.expose('lastCallAt', {
      type: 'Timestamp',
      nullable: true,
      authScopes: ofFirm,
      description: 'When it last called; null: not in the last 7 days.',
    }),
  }),
});
