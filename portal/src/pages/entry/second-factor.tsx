// Entry: the second factor: a code of the authenticator app, or one of the recovery codes.
import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAuthStep } from '../../session/auth-step.ts';
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

export function SecondFactor({ onDone, onBack }: { onDone: () => void; onBack: () => void }) {
  const [kind, setKind] = useState<keyof typeof KINDS>('totp');
  const [code, setCode] = useState('');
  const { busy, error, run, setError } = useAuthStep();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setCode('');
    void run(async () => {
      await giveCode(kind, code.replace(/\s/g, ''));
      onDone();
    });
  };
  const change = () => {
    setKind(kind === 'totp' ? 'recovery' : 'totp');
    setCode('');
    setError(null);
  };
  const { lead, label, other } = KINDS[kind];
  return (
    <>
      <EntryTitle title="Second factor">{lead}</EntryTitle>
      <form onSubmit={submit} noValidate>
        <Stack>
          <EntryFault error={error} />
          <TextInput
            key={kind}
            label={label}
            size="md"
            autoFocus
            autoComplete="one-time-code"
            inputMode={kind === 'totp' ? 'numeric' : 'text'}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          <Button type="submit" size="md" loading={busy} disabled={code.trim() === ''}>
            Continue
          </Button>
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
