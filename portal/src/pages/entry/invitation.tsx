// Entry: set the password that an invitation or reset link is for.
import { Anchor, Button, Loader, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { Failure } from '../../components/page/states.tsx';
import type { PorticoError } from '../../graphql/portico-error.ts';
import { useAuthStep } from '../../session/auth-step.ts';
import { MIN_PASSWORD, passwordFault } from '../../session/password-rules.ts';
import { type LinkPurpose, readLink, setPassword } from '../../session/sign-in.ts';
import { EntryFault } from './entry-fault.tsx';
import { EntryTitle } from './entry-title.tsx';

export default function Invitation() {
  const [token] = useState(() => location.hash.slice(1));
  const [done, setDone] = useState(false);
  useEffect(() => {
    // The token leaves the address bar, and the history with it.
    if (location.hash !== '') history.replaceState(null, '', location.pathname);
  }, []);
  if (done) return <Done />;
  if (token === '') return <NoLink />;
  return <WithToken token={token} onDone={() => setDone(true)} />;
}

function WithToken({ token, onDone }: { token: string; onDone: () => void }) {
  const { data, error, refetch } = useQuery<LinkPurpose, PorticoError>({
    queryKey: ['link', token],
    queryFn: () => readLink(token),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (data !== undefined) return <NewPassword token={token} link={data} onDone={onDone} />;
  if (error === null) return <Loader aria-label="Reading the link" />;
  return error.code === 'invalid_link' ? <NoLink /> : <Failure error={error} retry={() => void refetch()} />;
}

const EMPTY = { password: '', again: '' };

interface NewPasswordProps {
  token: string;
  link: LinkPurpose;
  onDone: () => void;
}

function NewPassword({ token, link, onDone }: NewPasswordProps) {
  const { busy, error, run } = useAuthStep();
  const { form, fault, release, submit } = useGuardedForm({
    name: 'password',
    guard: 'ask',
    start: EMPTY,
    refused: error,
    validate: {
      password: passwordFault,
      again: (value, { password }) => (value === password ? null : 'The two passwords differ.'),
    },
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
      <EntryTitle title={link.purpose === 'invitation' ? `Welcome, ${link.name}` : 'Set a new password'}>
        Choose a password of at least {MIN_PASSWORD} characters; several words are easy to keep.
      </EntryTitle>
      <form onSubmit={send} noValidate>
        <Stack>
          <EntryFault error={fault} />
          <TextInput label="E-mail" type="email" autoComplete="username" size="md" value={link.email} readOnly />
          <PasswordInput
            label="New password"
            autoComplete="new-password"
            autoFocus
            size="md"
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the new password' }}
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label="New password again"
            autoComplete="new-password"
            size="md"
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the repeated password' }}
            {...form.getInputProps('again')}
          />
          <Button type="submit" size="md" loading={busy}>
            Set password
          </Button>
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
