// Operations: the type of a key's limit in its drawer.
import type { Limit } from '../../generated/operations.ts';
import type { BodyOf } from '../../graphql/operation.ts';

export type LimitBody = BodyOf<typeof Limit>;
