// Firm: creates a successor with the same settings and grants; the predecessor works for an overlap.
import { Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../../../components/confirm.tsx';
import { withNames } from '../../../components/names.ts';
import { RotateKey } from '../../../generated/operations.ts';
import { useAction } from '../../../graphql/use-action.ts';
import type { Issued } from './issued.ts';
import { rotatedWithoutSecret } from './lost-secret.ts';

const OVERLAPS = [
  { seconds: 3600, label: 'One hour', words: 'For a change that is put in place right away.' },
  { seconds: 86_400, label: '24 hours', words: 'For systems that take up a new secret overnight.' },
  { seconds: 0, label: 'None', words: 'The old secret fails at once. For a secret that has leaked.' },
];

interface RotateKeyDialogProps {
  of: { id: string; name: string };
  opened: boolean;
  onClose: () => void;
  onIssued: (issued: Issued) => void;
}

export function RotateKeyDialog({ of: { id, name }, opened, onClose, onIssued }: RotateKeyDialogProps) {
  const [overlap, setOverlap] = useState('3600');
  const rotate = useAction(RotateKey, { lookUp: rotatedWithoutSecret, onDone: onIssued });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={withNames`Rotate “${name}”`}
      confirm="Rotate key"
      destructive={false}
      onConfirm={() => rotate.start({ id, overlapSeconds: Number(overlap) })}
      action={rotate}
      about={overlap}
    >
      <Text size="sm" mb="lg">
        A new key takes over with the same settings and grants. Both share one rate limit while both work.
      </Text>
      <Radio.Group label="How long the old secret still works" value={overlap} onChange={setOverlap}>
        <Stack gap="sm" mt="xs">
          {OVERLAPS.map(({ seconds, label, words }) => (
            <Radio key={seconds} value={String(seconds)} label={label} description={words} />
          ))}
        </Stack>
      </Radio.Group>
    </Confirm>
  );
}
