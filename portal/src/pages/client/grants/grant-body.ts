// Client: a grant as its page reads it.
import type { Connection } from '../../../generated/operations.ts';
import type { BodyOf } from '../../../graphql/operation.ts';

export type GrantBody = BodyOf<typeof Connection>;
