// Tools: the fields of collections.ndjson.
import { id, name } from '../readers.ts';
import type { RowShape } from '../rows.ts';

export const collections = (): RowShape => ({
  fields: {
    id: { read: id('collection'), type: 'text', required: true },
    client_id: { read: id('user'), type: 'text', required: true },
    name: { read: name, type: 'text', required: true },
  },
});
