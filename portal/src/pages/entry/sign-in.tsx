// Entry: signs in with e-mail and password, with the second factor if there is one, or through the firm's own sign-in.
import { Anchor, Divider, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { ActionButton } from '../../components/action-button.tsx';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { PasswordField } from '../../components/password-field.tsx';
import { PorticoError } from '../../graphql/portico-error.ts';
import { type AuthAction, useAuthAction } from '../../session/auth-action.ts';
import { useOffers } from '../../session/offers.ts';
import { canHavePasskeys, signInWithPasskey } from '../../session/passkeys.ts';
import { returnPath, storeConnectPath, useEnded } from '../../session/return-path.ts';
import { signIn, signInElsewhere } from '../../session/sign-in.ts';
import { notifyTabs, useOtherTabs } from '../../session/tabs.ts';
import { readViewer } from '../../session/viewer.ts';
import { emailFault } from './email-fault.ts';
import classes from './entry.module.css';
import { EntryFault } from './entry-fault.tsx';
import { EntryTitle } from './entry-title.tsx';
import { SecondFactor } from './second-factor.tsx';

export function SignIn() {
  const [part, setPart] = useState<'password' | 'second-factor'>('password');
  const search = useSearch();
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const arrive = useCallback(() => {
    client.clear();
    navigate(returnPath(search), { replace: true });
  }, [client, navigate, search]);
  const done = () => {
    notifyTabs();
    arrive();
  };
  // Signing in in another tab also applies to this one.
  useOtherTabs(useCallback(() => void readViewer().then(arrive, () => undefined), [arrive]));
  if (part === 'second-factor') return <SecondFactor onDone={done} onBack={() => setPart('password')} />;
  return <Password onDone={done} onSecondFactor={() => setPart('second-factor')} />;
}

interface PasswordProps {
  onDone: () => void;
  onSecondFactor: () => void;
}

function Password({ onDone, onSecondFactor }: PasswordProps) {
  const action = useAuthAction();
  const wanted = returnPath(useSearch());
  const connecting = wanted.startsWith('/connect/');
  useEffect(() => storeConnectPath(wanted), [wanted]);
  const refusedElsewhere = new URLSearchParams(useSearch()).has('error');
  const ended = useEnded();
  const { form, fault, submit } = useGuardedForm({
    name: 'sign-in',
    guard: 'none',
    start: EMPTY,
    refused: action.error,
    validate: {
      email: emailFault,
      password: (value) => (value === '' ? 'Enter your password.' : null),
    },
  });
  const send = submit(({ email, password }) =>
    action.run(async () => {
      if ((await signIn(email.trim(), password)) === 'signed-in') onDone();
      else onSecondFactor();
    }),
  );
  return (
    <>
      <EntryTitle title="Sign in">
        {ended !== null ? ENDED[ended] : connecting ? CONNECTING : 'Welcome to the portal.'}
      </EntryTitle>
      <form onSubmit={send} noValidate>
        <Stack>
          <EntryFault error={fault ?? (refusedElsewhere ? REFUSED_ELSEWHERE : null)} />
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            autoFocus
            size="md"
            {...form.getInputProps('email')}
          />
          <div>
            <PasswordField
              label="Password"
              named="password"
              autoComplete="current-password"
              size="md"
              {...form.getInputProps('password')}
            />
            <Anchor component={Link} href="/forgot" size="sm" mt={8} display="inline-block">
              Forgot your password?
            </Anchor>
          </div>
          <ActionButton type="submit" size="md" busy={action.busy} mt={4}>
            Sign in
          </ActionButton>
        </Stack>
      </form>
      <WithPasskey action={action} onDone={onDone} />
      <Elsewhere action={action} />
    </>
  );
}

const CONNECTING =
  'A firm gave you its link. Sign in to see who it is and to decide what it sees. New here? Choose a password with the link in your invitation mail; you then come back here.';

const EMPTY = { email: '', password: '' };

const OVER = 'Your session has ended, or you signed out in another tab. Sign in to continue where you were';

const ENDED = { plainly: `${OVER}.`, 'with drafts': `${OVER}; what you had filled in is kept.` };

const REFUSED_ELSEWHERE = new PorticoError(403, {
  code: 'forbidden',
  message: 'Your firm’s sign-in failed, or no account here has your e-mail address. Ask the person who invited you.',
});

function WithPasskey({ action, onDone }: { action: AuthAction; onDone: () => void }) {
  if (!canHavePasskeys()) return null;
  const go = () =>
    action.run(async () => {
      await signInWithPasskey();
      onDone();
    });
  return (
    <ActionButton variant="default" size="md" fullWidth mt="md" disabled={action.busy} onClick={() => void go()}>
      Use a passkey
    </ActionButton>
  );
}

/** The firms' own sign-ins, if any is configured. */
function Elsewhere({ action }: { action: AuthAction }) {
  const { data } = useOffers();
  const search = useSearch();
  if (data === undefined || data.providers.length === 0) return null;
  return (
    <>
      <Divider label="or" className={classes.or} />
      <Stack gap="sm">
        {data.providers.map(({ id, label }) => (
          <ActionButton
            key={id}
            variant="default"
            size="md"
            disabled={action.busy}
            onClick={() => void action.run(() => signInElsewhere(id, returnPath(search)))}
          >
            Continue with {label}
          </ActionButton>
        ))}
      </Stack>
    </>
  );
}
