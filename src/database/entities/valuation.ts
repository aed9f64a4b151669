// Database: valuations of items.
import { VALUATION_FIELDS } from '#core/fields/valuation.ts';
import { propertiesOf } from './columns.ts';
import { entity } from './entity.ts';

export const Valuation = entity('Valuation', 'valuations', propertiesOf(VALUATION_FIELDS));
