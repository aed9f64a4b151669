// Firm: a key as its page reads it.
import type { FirmKey } from '../../../generated/operations.ts';
import type { BodyOf } from '../../../graphql/operation.ts';

export type KeyBody = BodyOf<typeof FirmKey>;
