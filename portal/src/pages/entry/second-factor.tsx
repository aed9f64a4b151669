// Entry: the second factor: a code of the authenticator app, or a recovery code.
import { Anchor, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ActionButton } from '../../components/action-button.tsx';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { isTransient } from '../../graphql/portico-error.ts';
import { useAuthAction } from '../../session/auth-action.ts';
import { giveCode } from '../../session/sign-in.ts';
import { EntryFault } from './entry-fault.tsx';
import { EntryTitle } from './entry-title.tsx';

const KINDS = {
  totp: {
    lead: 'Enter the six digits that your authenticator app shows.',
    label: 'Code',
    other: 'Use a recovery code instead',
  },
  recovery: {
    lead: 'Enter one of the recovery codes that you kept. Each works once.',
    label: 'Recovery code',
    other: 'Use the authenticator app instead',
  },
} as const;

const EMPTY = { code: '' };

export function SecondFactor({ onDone, onBack }: { onDone: () => void; onBack: () => void }) {
  const [kind, setKind] = useState<keyof typeof KINDS>('totp');
  const { busy, error, run, setError } = useAuthAction();
  const { form, fault, submit } = useGuardedForm({
    name: 'second factor',
    guard: 'none',
    start: EMPTY,
    validate: { code: (code) => (code.trim() === '' ? 'Enter a code.' : null) },
    refused: error,
  });
  const send = submit(({ code }) =>
    run(async () => {
      try {
        await giveCode(kind, code.replace(/\s/g, ''));
      } catch (error) {
        // The code is kept if it was not checked, since a retry may succeed.
        if (!isTransient(error)) form.reset();
        throw error;
      }
      onDone();
    }),
  );
  const change = () => {
    setKind(kind === 'totp' ? 'recovery' : 'totp');
    form.reset();
    setError(null);
  };
  const { lead, label, other } = KINDS[kind];
  return (
    <>
      <EntryTitle title="Second factor">{lead}</EntryTitle>
      <form onSubmit={send} noValidate>
        <Stack>
          <EntryFault error={fault} />
          <TextInput
            key={kind}
            label={label}
            size="md"
            autoFocus
            autoComplete="one-time-code"
            inputMode={kind === 'totp' ? 'numeric' : 'text'}
            {...form.getInputProps('code')}
          />
          <ActionButton type="submit" size="md" busy={busy}>
            Continue
          </ActionButton>
          <Anchor component="button" type="button" size="sm" ta="start" onClick={change}>
            {other}
          </Anchor>
          <Anchor component="button" type="button" size="sm" ta="start" onClick={onBack}>
            Sign in as somebody else
          </Anchor>
        </Stack>
      </form>
    </>
  );
}
