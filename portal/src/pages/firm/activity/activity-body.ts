// Firm: the figures of the activity page.
import type { Activity } from '../../../generated/operations.ts';
import type { BodyOf } from '../../../graphql/operation.ts';

export type ActivityBody = BodyOf<typeof Activity>;
