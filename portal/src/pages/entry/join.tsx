// Entry: an invitation to become a firm's member: inviter, role, and sign-in method.
import { Button, Stack, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import { MAX_NAME, MIN_PASSWORD } from '#core/text-lengths.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { withNames } from '../../components/names.ts';
import { useAuthAction } from '../../session/auth-action.ts';
import { roleName } from '../../session/firm-role.ts';
import { type FirmInvitation, joinFirm, readInvitation } from '../../session/join.ts';
import { EntryFault } from './entry-fault.tsx';
import { EntryTitle } from './entry-title.tsx';
import { LinkPage } from './link-page.tsx';
import { NewPasswordFields, passwordRules } from './new-password.tsx';

export default function Join() {
  return (
    <LinkPage
      kind="invitation"
      read={readInvitation}
      noLink={<NoLink />}
      done={(invitation) => <Joined of={invitation} />}
    >
      {(token, invitation, onDone) => <Accept token={token} of={invitation} onDone={onDone} />}
    </LinkPage>
  );
}

interface AcceptProps {
  token: string;
  of: FirmInvitation;
  onDone: () => void;
}

function Accept({ token, of: invitation, onDone }: AcceptProps) {
  const { busy, error, run } = useAuthAction();
  const chooses = invitation.way === 'new_password';
  const { form, fault, release, submit } = useGuardedForm({
    name: 'join',
    guard: 'ask',
    start: { name: invitation.name, password: '', again: '' },
    refused: error,
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter your name.' : null),
      ...(chooses ? passwordRules : {}),
    },
  });
  const send = submit(({ name, password }) =>
    run(async () => {
      await joinFirm({ token, name: name.trim(), ...(chooses ? { password } : {}) });
      release();
      onDone();
    }),
  );
  return (
    <>
      <EntryTitle title={`Join ${invitation.firm}`} shown={withNames`Join ${invitation.firm}`}>
        <bdi>{invitation.inviter}</bdi> invites you to work for <bdi>{invitation.firm}</bdi> in Portico, as{' '}
        {roleName(invitation.role).toLowerCase()}. {WAYS[invitation.way](invitation)}
      </EntryTitle>
      <form onSubmit={send} noValidate>
        <Stack>
          <EntryFault error={fault} />
          <TextInput label="E-mail" type="email" autoComplete="username" size="md" value={invitation.email} readOnly />
          <TextInput
            label="Your name"
            autoComplete="name"
            maxLength={MAX_NAME}
            size="md"
            {...form.getInputProps('name')}
          />
          {chooses && <NewPasswordFields form={form} />}
          <ActionButton type="submit" size="md" busy={busy}>
            Accept the invitation
          </ActionButton>
        </Stack>
      </form>
    </>
  );
}

const WAYS: Record<FirmInvitation['way'], (invitation: FirmInvitation) => string> = {
  new_password: () => `Choose a password of at least ${MIN_PASSWORD} characters; several words are easy to remember.`,
  password: () => 'You have an account already, and keep your password.',
  provider: ({ provider }) => `You will sign in through ${provider}.`,
};

function Joined({ of: { firm, way, provider } }: { of: FirmInvitation }) {
  return (
    <>
      <EntryTitle title={`You are a member of ${firm}`} shown={withNames`You are a member of ${firm}`}>
        {way === 'provider' ? `Sign in through ${provider}.` : 'Sign in with your e-mail address and password.'}
      </EntryTitle>
      <Button component={Link} href="/sign-in" size="md">
        Sign in
      </Button>
    </>
  );
}

function NoLink() {
  return (
    <EntryTitle title="This invitation is no longer valid">
      It has been accepted already, was withdrawn, has expired, or the link was not copied in full. Ask the firm for
      another one.
    </EntryTitle>
  );
}
