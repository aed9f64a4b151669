// Tools: the kinds of rows a directory may hold, in the order in which they are loaded.

export const KINDS = ['firms', 'users', 'collections', 'assets', 'valuations', 'documents'] as const;
export type Kind = (typeof KINDS)[number];

/** Where rows of the kind live. */
export const TABLES: Record<Kind, string> = {
  firms: 'firms',
  users: 'users',
  collections: 'collections',
  assets: 'items',
  valuations: 'valuations',
  documents: 'documents',
};

/** Kinds whose rows a line `{"id":…,"deleted_at":…}` deletes, in the order of deletion: items take the rest with them. */
export const DELETABLE: readonly Kind[] = ['assets', 'collections', 'valuations', 'documents'];

/** Kinds whose rows such a line erases, before all else: a firm takes its members with it. */
export const ERASABLE = ['firms', 'users'] as const;

export const fileOf = (kind: Kind): string => `${kind}.ndjson`;
