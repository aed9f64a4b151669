// Entry: ask for a link that sets a new password. The answer does not tell whether the address is known.
import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { useAuthStep } from '../../session/auth-step.ts';
import { useOffers } from '../../session/offers.ts';
import { requestReset } from '../../session/sign-in.ts';
import { EntryFault } from './entry-fault.tsx';
import { EntryTitle } from './entry-title.tsx';

const Back = () => (
  <Anchor component={Link} href="/sign-in" size="sm">
    Back to sign-in
  </Anchor>
);

export default function Forgot() {
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);
  const { busy, error, run } = useAuthStep();
  const { data: offers } = useOffers();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      await requestReset(email.trim());
      setSent(true);
    });
  };
  if (sent) return <Sent email={email.trim()} mail={offers?.mail ?? true} />;
  return (
    <>
      <EntryTitle title="Forgot your password?">
        Tell us your e-mail address, and a link that sets a new password is made for you.
      </EntryTitle>
      <form onSubmit={submit} noValidate>
        <Stack>
          <EntryFault error={error} />
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            autoFocus
            size="md"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Button type="submit" size="md" loading={busy} disabled={!email.includes('@')}>
            Send the link
          </Button>
          <Back />
        </Stack>
      </form>
    </>
  );
}

function Sent({ email, mail }: { email: string; mail: boolean }) {
  return (
    <>
      <EntryTitle title={mail ? 'Look into your mail' : 'Ask your operator for the link'}>
        {mail
          ? `If ${email} has an account, a link that sets a new password is on its way. It works once.`
          : 'This installation sends no mail. Whoever runs it can give you a link that sets a new password.'}
      </EntryTitle>
      {mail && (
        <Text size="sm" c="dimmed" mb="lg">
          Nothing there after a few minutes? Look among the unwanted mail, or try the address that you were invited
          with.
        </Text>
      )}
      <Back />
    </>
  );
}
