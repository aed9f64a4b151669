// Schema: money.
import type { Money as MoneyShape } from '#core/money.ts';
import { builder } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

export const Money = builder.objectRef<MoneyShape>('Money').implement({
  description: "An amount with exactly its currency's number of decimals.",
  fields: exposing('portfolio', {
    amount: ['Decimal', 'Decimal text.'],
    currency: ['String', 'ISO 4217 code.'],
  }),
});
