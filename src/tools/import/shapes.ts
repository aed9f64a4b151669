// Tools: which fields each kind of row has in this deployment.
import { assets } from './fields/assets.ts';
import { collections } from './fields/collections.ts';
import { documents } from './fields/documents.ts';
import { firms } from './fields/firms.ts';
import { users } from './fields/users.ts';
import { valuations } from './fields/valuations.ts';
import type { Kind } from './kinds.ts';
import type { ReferenceRows } from './reference-rows.ts';
import type { RowShape } from './rows.ts';

export const shapesFor = (rows: ReferenceRows, platformPrefix: string): Record<Kind, RowShape> => ({
  firms: firms(),
  users: users(),
  collections: collections(),
  assets: assets(rows, platformPrefix),
  valuations: valuations(rows),
  documents: documents(rows),
});
