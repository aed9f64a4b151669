// Firm: whether members need a second factor.
import { Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Confirm } from '../../../components/confirm.tsx';
import { countOf } from '../../../components/numbers.tsx';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { Section } from '../../../components/page/section.tsx';
import { RequireSecondFactor, Team, type TeamQuery } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { useAction } from '../../../graphql/use-action.ts';

const LEAD =
  'A code from an authenticator app, or a passkey. Members who sign in without one have to set one up before they see anything of the firm. Your firm’s own sign-in, if it has one, is exempt.';

type Members = TeamQuery['body']['members'];

interface SecondFactorRuleProps {
  required: boolean;
  members: Members;
  mayChange: boolean;
}

export function SecondFactorRule({ required, members, mayChange }: SecondFactorRuleProps) {
  const [opened, question] = useDisclosure();
  const action = useAction(RequireSecondFactor, {
    lookUp: async (wanted) => {
      const team = await call(Team, {});
      return team.secondFactorRequired === wanted.required ? team : null;
    },
    onDone: question.close,
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
        onChange={() => (required ? action.start({ required: false }) : question.open())}
      />
      {!opened && <ActionFault of={action} />}
      <Confirm
        opened={opened}
        onClose={question.close}
        title="Require a second factor of every member?"
        confirm="Require second factor"
        destructive={false}
        onConfirm={() => action.start({ required: true })}
        action={action}
      >
        <Text size="sm">
          {withoutText(members)} Members without one see nothing of the firm, from their next action until they have set
          one up.
        </Text>
      </Confirm>
    </Section>
  );
}

function withoutText(members: Members): string {
  const without = members.filter(({ authenticatorApp, passkeys }) => !authenticatorApp && passkeys === 0);
  if (without.length === 0) return 'Every member has one.';
  const you = without.some(({ self }) => self) ? (without.length === 1 ? ': you' : ', you included') : '';
  return `${without.length} of ${countOf(members.length, 'member')} ${without.length === 1 ? 'has' : 'have'} none${you}.`;
}
