// Tools: the kinds of rows in a directory, in the order of loading.

export const KINDS = ['firms', 'users', 'collections', 'assets', 'valuations', 'documents'] as const;
export type Kind = (typeof KINDS)[number];

/** The table of each kind. */
export const TABLES: Record<Kind, string> = {
  firms: 'firms',
  users: 'users',
  collections: 'collections',
  assets: 'items',
  valuations: 'valuations',
  documents: 'documents',
};

/**
 * Kinds whose rows a line `{"id":…,"deleted_at":…}` deletes, in the order of deletion: deleting an item deletes its
 * dependent rows.
 */
export const DELETABLE: readonly Kind[] = ['assets', 'collections', 'valuations', 'documents'];

/** Kinds whose rows such a line erases, before everything else: erasing a firm erases its members. */
export const ERASABLE = ['firms', 'users'] as const;

export const fileOf = (kind: Kind): string => `${kind}.ndjson`;
