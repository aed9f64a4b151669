// Firm: types of the figures and calls on the activity page.
import type { Activity, Calls } from '../../../generated/operations.ts';
import type { BodyOf } from '../../../graphql/operation.ts';

export type ActivityBody = BodyOf<typeof Activity>;
export type CallRow = BodyOf<typeof Calls>['nodes'][number];
