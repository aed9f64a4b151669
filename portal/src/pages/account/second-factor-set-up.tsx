// Account: the QR code for the authenticator app, and the first code that proves it was read.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { encode } from 'uqr';
import { CopyText } from '../../components/copy.tsx';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { Failure } from '../../components/page/states.tsx';
import { useAuthStep } from '../../session/auth-step.ts';
import { confirmSecondFactor, type SetUp } from '../../session/credentials.ts';
import classes from './account.module.css';

const EMPTY = { code: '' };

interface SecondFactorSetUpProps {
  setUp: SetUp;
  onDone: () => void;
  onCancel: () => void;
}

export function SecondFactorSetUp({ setUp: { totpURI }, onDone, onCancel }: SecondFactorSetUpProps) {
  const { busy, error, run } = useAuthStep();
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
      <QrCode text={totpURI} />
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
            <Button type="submit" loading={busy}>
              Turn on
            </Button>
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </div>
  );
}

/** Black on white in both schemes: cameras know it so. */
function QrCode({ text }: { text: string }) {
  const { path, size } = useMemo(() => {
    const { data, size: modules } = encode(text, { border: 0 });
    const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { path: dark.join(''), size: modules };
  }, [text]);
  return (
    <svg viewBox={`0 0 ${size} ${size}`} className={classes.qr} role="img" shapeRendering="crispEdges">
      <title>QR code for your authenticator app; the key beside it says the same</title>
      <path d={path} />
    </svg>
  );
}
