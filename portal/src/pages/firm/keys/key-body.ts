// Firm: the type of a key on its page.
import type { FirmKey } from '../../../generated/operations.ts';
import type { BodyOf } from '../../../graphql/operation.ts';

export type KeyBody = BodyOf<typeof FirmKey>;
