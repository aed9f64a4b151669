// Entry: sets the password of an invitation or reset link.
import { Anchor, Button, Loader, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { MIN_PASSWORD } from '#core/password-length.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { withNames } from '../../components/names.ts';
import { Failure } from '../../components/page/states.tsx';
import type { PorticoError } from '../../graphql/portico-error.ts';
import { useAuthAction } from '../../session/auth-action.ts';
import { type LinkPurpose, readLink, setPassword } from '../../session/sign-in.ts';
import { EntryFault } from './entry-fault.tsx';
import { EntryTitle } from './entry-title.tsx';
import { useLinkToken } from './link-token.ts';
import { NewPasswordFields, passwordRules } from './new-password.tsx';
import { NoToken } from './no-token.tsx';

export default function Invitation() {
  const token = useLinkToken();
  return token === '' ? <NoToken /> : <WithToken key={token} token={token} />;
}

function WithToken({ token }: { token: string }) {
  const [done, setDone] = useState(false);
  const { data, error, refetch } = useQuery<LinkPurpose, PorticoError>({
    queryKey: ['link', token],
    queryFn: () => readLink(token),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (done) return <Done />;
  if (data !== undefined) return <SetPassword token={token} link={data} onDone={() => setDone(true)} />;
  if (error === null) return <Loader role="status" aria-label="Reading the link" />;
  return error.code === 'invalid_link' ? <NoLink /> : <Failure error={error} retry={() => void refetch()} />;
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
