// Schema: the actor of a recorded event.
import type { NamedActor } from '#repositories/accounts/actor-names.ts';
import { builder } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

export const Actor = builder.objectRef<NamedActor>('Actor').implement({
  description: 'The actor of an event, as far as the viewer may know them.',
  fields: exposing('inside', {
    kind: ['String', 'client, firm_member, member_as_test_client (for a test client of the firm), operator or system.'],
    name: [
      'String',
      "A person's name; `Operations` for an operator, `System` for automatic events, such as an expiry.",
    ],
  }),
});
