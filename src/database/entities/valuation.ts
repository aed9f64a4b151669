// Database: valuations of items.
import { defineEntity } from '@mikro-orm/core';
import { VALUATION_FIELDS } from '#core/fields/valuation.ts';
import { propertiesOf } from './columns.ts';

export const Valuation = defineEntity({
  name: 'Valuation',
  tableName: 'valuations',
  properties: propertiesOf(VALUATION_FIELDS),
});
