// Tools: the fields of firms.ndjson.
import { boolean, id, name, oneOf } from '../readers.ts';
import type { RowShape } from '../rows.ts';

export const firms = (): RowShape => ({
  fields: {
    id: { read: id('firm'), type: 'text', required: true },
    name: { read: name, type: 'text', required: true },
    plan: { read: oneOf(['enterprise', 'none']), type: 'text' },
    plan_active: { read: boolean, type: 'boolean' },
    tier: { read: oneOf(['standard', 'elevated', 'enterprise']), type: 'text' },
  },
});
