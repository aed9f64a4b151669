// Schema: the actor of a recorded event.
import type { NamedActor } from '#repositories/accounts/actor-names.ts';
import { builder } from '../../builder.ts';

export const Actor = builder.objectRef<NamedActor>('Actor').implement({
  description: 'Who took a step, as the viewer may know them.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      authScopes: { inside: true },
      description: 'client, firm_member, member_as_test_client (for a test client of the firm), operator or system.',
    }),
    name: t.exposeString('name', {
      authScopes: { inside: true },
      description: "A person's name; `Operations` for an operator, `System` where time passed.",
    }),
  }),
});
