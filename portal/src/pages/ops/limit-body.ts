// Operations: a key's limit as its drawer reads it.
import type { Limit } from '../../generated/operations.ts';
import type { BodyOf } from '../../graphql/operation.ts';

export type LimitBody = BodyOf<typeof Limit>;
