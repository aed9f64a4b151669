// Entry: sets the password of an invitation or reset link.
import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import { MIN_PASSWORD } from '#core/text-lengths.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { withNames } from '../../components/names.ts';
import { useAuthAction } from '../../session/auth-action.ts';
import { type LinkPurpose, readLink, setPassword } from '../../session/sign-in.ts';
import { EntryFault } from './entry-fault.tsx';
import { EntryTitle } from './entry-title.tsx';
import { LinkPage } from './link-page.tsx';
import { NewPasswordFields, passwordRules } from './new-password.tsx';

export default function Invitation() {
  return (
    <LinkPage kind="link" read={readLink} noLink={<NoLink />} done={() => <Done />}>
      {(token, link, onDone) => <SetPassword token={token} link={link} onDone={onDone} />}
    </LinkPage>
  );
}

const EMPTY = { password: '', again: '' };

interface SetPasswordProps {
  token: string;
  link: LinkPurpose;
  onDone: () => void;
}

function SetPassword({ token, link, onDone }: SetPasswordProps) {
  const invited = link.purpose === 'invitation';
  const { busy, error, run } = useAuthAction();
  const { form, fault, release, submit } = useGuardedForm({
    name: 'password',
    guard: 'ask',
    start: EMPTY,
    refused: error,
    validate: passwordRules,
  });
  const send = submit(({ password }) =>
    run(async () => {
      await setPassword(token, password);
      release();
      onDone();
    }),
  );
  return (
    <>
      <EntryTitle
        title={invited ? `Welcome, ${link.name}` : 'Set a new password'}
        shown={invited ? withNames`Welcome, ${link.name}` : undefined}
      >
        Choose a password of at least {MIN_PASSWORD} characters; several words are easy to remember.
      </EntryTitle>
      <form onSubmit={send} noValidate>
        <Stack>
          <EntryFault error={fault} />
          <TextInput label="E-mail" type="email" autoComplete="username" size="md" value={link.email} readOnly />
          <NewPasswordFields form={form} autoFocus />
          <ActionButton type="submit" size="md" busy={busy}>
            Set password
          </ActionButton>
        </Stack>
      </form>
    </>
  );
}

function Done() {
  return (
    <>
      <EntryTitle title="Your password is set">You can sign in with it now.</EntryTitle>
      <Button component={Link} href="/sign-in" size="md">
        Sign in
      </Button>
    </>
  );
}

function NoLink() {
  return (
    <>
      <EntryTitle title="This link does not work any more">
        It has been used already, has expired, or was not copied in full. You can ask for a new one.
      </EntryTitle>
      <Anchor component={Link} href="/forgot">
        Ask for a new link
      </Anchor>
    </>
  );
}
