// Client: the type of a grant on its page.
import type { Connection } from '../../../generated/operations.ts';
import type { BodyOf } from '../../../graphql/operation.ts';

export type GrantBody = BodyOf<typeof Connection>;
