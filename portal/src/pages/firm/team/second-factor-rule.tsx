// Firm: whether members need a second factor.
import { Switch } from '@mantine/core';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { Section } from '../../../components/page/section.tsx';
import { RequireSecondFactor, Team } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { useAction } from '../../../graphql/use-action.ts';

const LEAD =
  'A code from an authenticator app, or a passkey. Members who sign in without one have to set one up before they see anything of the firm. Your firm’s own sign-in, if it has one, is exempt.';

export function SecondFactorRule({ required, mayChange }: { required: boolean; mayChange: boolean }) {
  const action = useAction(RequireSecondFactor, {
    lookUp: async (wanted) => {
      const team = await call(Team, {});
      return team.secondFactorRequired === wanted.required ? team : null;
    },
  });
  return (
    <Section title="Second factor" lead={LEAD}>
      <Switch
        label="Every member needs a second factor"
        description={mayChange ? 'It applies from everybody’s next action, yours included.' : undefined}
        checked={required}
        disabled={!mayChange}
        // `disabled` would lose the focus.
        aria-disabled={action.isPending}
        opacity={action.isPending ? 0.5 : 1}
        onChange={({ currentTarget }) => action.isPending || action.start({ required: currentTarget.checked })}
      />
      <ActionFault of={action} />
    </Section>
  );
}
