// Client: the type of a grant on its page.
import type { ClientGrantDetail } from '../../../generated/operations.ts';
import type { BodyOf } from '../../../graphql/operation.ts';

export type GrantBody = BodyOf<typeof ClientGrantDetail>;
