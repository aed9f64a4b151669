// Entry: sign in with e-mail and password, with the second factor where there is one, or with the firm's own sign-in.
import { Anchor, Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { PorticoError } from '../../graphql/portico-error.ts';
import { type AuthStep, useAuthStep } from '../../session/auth-step.ts';
import { useOffers } from '../../session/offers.ts';
import { returnPath } from '../../session/return-path.ts';
import { signIn, signInElsewhere } from '../../session/sign-in.ts';
import classes from './entry.module.css';
import { EntryFault } from './entry-fault.tsx';
import { EntryTitle } from './entry-title.tsx';
import { SecondFactor } from './second-factor.tsx';

export function SignIn() {
  const [part, setPart] = useState<'password' | 'second-factor'>('password');
  const search = useSearch();
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const arrive = () => {
    client.clear();
    navigate(returnPath(search), { replace: true });
  };
  if (part === 'second-factor') return <SecondFactor onDone={arrive} onBack={() => setPart('password')} />;
  return <Password onDone={arrive} onSecondFactor={() => setPart('second-factor')} />;
}

interface PasswordProps {
  onDone: () => void;
  onSecondFactor: () => void;
}

function Password({ onDone, onSecondFactor }: PasswordProps) {
  const step = useAuthStep();
  const refusedElsewhere = new URLSearchParams(useSearch()).has('error');
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (value) => (value.includes('@') ? null : 'Enter your e-mail address.'),
      password: (value) => (value === '' ? 'Enter your password.' : null),
    },
  });
  const submit = form.onSubmit(({ email, password }) =>
    step.run(async () => {
      if ((await signIn(email.trim(), password)) === 'signed-in') onDone();
      else onSecondFactor();
    }),
  );
  return (
    <>
      <EntryTitle title="Sign in">Welcome to the portal.</EntryTitle>
      <form onSubmit={submit} noValidate>
        <Stack>
          <EntryFault error={step.error ?? (refusedElsewhere ? REFUSED_ELSEWHERE : null)} />
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            autoFocus
            size="md"
            {...form.getInputProps('email')}
          />
          <div>
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              size="md"
              visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
              {...form.getInputProps('password')}
            />
            <Anchor component={Link} href="/forgot" size="sm" mt={8} display="inline-block">
              Forgot your password?
            </Anchor>
          </div>
          <Button type="submit" size="md" loading={step.busy} mt={4}>
            Sign in
          </Button>
        </Stack>
      </form>
      <Elsewhere step={step} />
    </>
  );
}

const REFUSED_ELSEWHERE = new PorticoError(403, {
  code: 'forbidden',
  message: 'Your firm’s sign-in did not let you in, or nobody here has your e-mail address. Ask whoever invited you.',
});

/** The firms' own sign-ins, where any is configured. */
function Elsewhere({ step }: { step: AuthStep }) {
  const { data } = useOffers();
  const search = useSearch();
  if (data === undefined || data.providers.length === 0) return null;
  return (
    <>
      <Divider label="or" className={classes.or} />
      <Stack gap="sm">
        {data.providers.map(({ id, label }) => (
          <Button
            key={id}
            variant="default"
            size="md"
            onClick={() => void step.run(() => signInElsewhere(id, returnPath(search)))}
          >
            Continue with {label}
          </Button>
        ))}
      </Stack>
    </>
  );
}
