// Firm: the type of the firm's team.
import type { Team } from '../../../generated/operations.ts';
import type { BodyOf } from '../../../graphql/operation.ts';

export type TeamBody = BodyOf<typeof Team>;
export type Member = TeamBody['members'][number];
export type Invitation = TeamBody['invitations'][number];
