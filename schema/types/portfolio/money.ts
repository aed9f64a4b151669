// Schema: money.
import type { Money as MoneyShape } from '#core/money.ts';
import { builder } from '../../builder.ts';

export const Money = builder.objectRef<MoneyShape>('Money').implement({
  description: "An amount with exactly its currency's number of decimals.",
  fields: (t) => ({
    amount: t.expose('amount', { type: 'Decimal', authScopes: { portfolio: true }, description: 'Decimal text.' }),
    currency: t.exposeString('currency', { authScopes: { portfolio: true }, description: 'ISO 4217 code.' }),
  }),
});
