// Account: the QR code for the authenticator app, and the first code as proof of its set-up.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { ActionButton } from '../../components/action-button.tsx';
import { CopyText } from '../../components/copy.tsx';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { Failure } from '../../components/page/states.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { useAuthAction } from '../../session/auth-action.ts';
import { confirmSecondFactor, type SetUp } from '../../session/credentials.ts';
import classes from './account.module.css';

const EMPTY = { code: '' };

interface SecondFactorSetUpProps {
  setUp: SetUp;
  onDone: () => void;
  onCancel: () => void;
}

export function SecondFactorSetUp({ setUp: { totpURI }, onDone, onCancel }: SecondFactorSetUpProps) {
  const { busy, error, run } = useAuthAction({ wrong_code: 'code' });
  const { form, fault, submit } = useGuardedForm({
    name: 'second factor',
    guard: 'ask',
    start: EMPTY,
    validate: { code: (code) => (code.trim() === '' ? 'Enter the code that the app shows.' : null) },
    refused: error,
  });
  const secret = new URL(totpURI).searchParams.get('secret') ?? '';
  const send = submit(({ code }) =>
    run(async () => {
      await confirmSecondFactor(code.replace(/\s/g, ''));
      onDone();
    }),
  );
  return (
    <div className={classes.setup}>
      <QrCode text={totpURI} title="QR code for your authenticator app; the key beside it says the same" />
      <form onSubmit={send} noValidate>
        <Stack maw="24rem">
          <div>
            <Text size="sm">Read the code with your authenticator app, or type in the key:</Text>
            <CopyText value={secret} label="key" />
          </div>
          <TextInput
            label="Code that the app shows"
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            {...form.getInputProps('code')}
          />
          {fault && <Failure error={fault} />}
          <Group gap="sm">
            <ActionButton type="submit" busy={busy}>
              Turn on
            </ActionButton>
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </div>
  );
}
