// Entry: requests a link to set a new password. The response does not reveal whether the address is known.
import { Anchor, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { ActionButton } from '../../components/action-button.tsx';
import { Dimmed } from '../../components/dimmed.tsx';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { useAuthAction } from '../../session/auth-action.ts';
import { useOffers } from '../../session/offers.ts';
import { requestReset } from '../../session/sign-in.ts';
import { emailFault } from './email-fault.ts';
import { EntryFault } from './entry-fault.tsx';
import { EntryTitle } from './entry-title.tsx';

const Back = () => (
  <Anchor component={Link} href="/sign-in" size="sm">
    Back to sign-in
  </Anchor>
);

const EMPTY = { email: '' };

export default function Forgot() {
  const [sent, setSent] = useState(false);
  const { busy, error, run } = useAuthAction();
  const { data: offers } = useOffers();
  const { form, fault, submit } = useGuardedForm({
    name: 'forgot',
    guard: 'none',
    start: EMPTY,
    validate: { email: emailFault },
    refused: error,
  });
  const send = submit(({ email }) =>
    run(async () => {
      await requestReset(email.trim());
      setSent(true);
    }),
  );
  if (sent) return <Sent email={form.values.email.trim()} mail={offers?.mail ?? true} />;
  return (
    <>
      <EntryTitle title="Forgot your password?">Enter your e-mail address to get a link for a new password.</EntryTitle>
      <form onSubmit={send} noValidate>
        <Stack>
          <EntryFault error={fault} />
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            autoFocus
            size="md"
            {...form.getInputProps('email')}
          />
          <ActionButton type="submit" size="md" busy={busy}>
            Send the link
          </ActionButton>
          <Back />
        </Stack>
      </form>
    </>
  );
}

function Sent({ email, mail }: { email: string; mail: boolean }) {
  return (
    <>
      <EntryTitle title={mail ? 'Check your mail' : 'Ask your operator for the link'}>
        {mail
          ? `If ${email} has an account, a link that sets a new password is on its way. It works once.`
          : 'This installation sends no mail. Its operator can give you a link for a new password.'}
      </EntryTitle>
      {mail && (
        <Dimmed mb="lg">
          Nothing there after a few minutes? Look in your spam folder, or try the address that you were invited with.
        </Dimmed>
      )}
      <Back />
    </>
  );
}
