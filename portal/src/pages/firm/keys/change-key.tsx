// Firm: change what a key is called, noted and allowed.
import { Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { expiryFault } from '../../../components/expiry-fault.ts';
import { FormEnd } from '../../../components/form-end.tsx';
import { useGuardedForm } from '../../../components/guarded-form.ts';
import { StepFault } from '../../../components/page/step-fault.tsx';
import { isSame } from '../../../components/same.ts';
import { ChangeKey, FirmKey, FirmKeys, KeyChoices } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { useStep } from '../../../graphql/use-step.ts';
import type { KeyBody } from './key-body.ts';
import { ExpiryField, NetworksField, NoteField, nameFault, networksOf } from './key-settings.tsx';

/** Of the form, among what is kept of the page. */
export const CHANGE_DRAFT = 'settings';

interface Draft {
  name: string;
  note: string;
  expiresAt: string | null;
  allowedNetworks: string;
}

export function ChangeKeyForm({ of: key, onDone }: { of: KeyBody; onDone: () => void }) {
  const change = useStep(ChangeKey, {
    touches: [FirmKey, FirmKeys, KeyChoices],
    // Done where the last change on record is from then on, and the key is as was wanted.
    ask: async ({ id, name, note, expiresAt, noExpiry }, since) => {
      const found = await call(FirmKey, { id });
      const recent = found.events.some(
        ({ action, at, keyId }) => action === 'change' && keyId === id && Date.parse(at) >= since,
      );
      const as = [name ?? found.name, note ?? found.note ?? '', noExpiry ? null : (expiresAt ?? found.expiresAt)];
      return recent && isSame(as, [found.name, found.note ?? '', found.expiresAt]) ? found : null;
    },
    onDone: ({ name }) => {
      notifications.show({ message: `“${name}” is changed. It holds from now on.` });
      onDone();
    },
  });
  // The key is read again while the form is open; what was not changed here is not sent.
  const [start] = useState<Draft>({
    name: key.name,
    note: key.note ?? '',
    expiresAt: key.expiresAt,
    allowedNetworks: key.allowedNetworks.join('\n'),
  });
  const { form, fault, release, submit } = useGuardedForm<Draft>({
    name: CHANGE_DRAFT,
    start,
    validate: { name: nameFault, expiresAt: (at) => (at === start.expiresAt ? null : expiryFault(at)) },
    refused: change.error,
  });
  const send = submit((values) => {
    if (isSame(values, start)) return onDone();
    change.take({ id: key.id, ...changesOf(values, start) });
  });
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="lg" maw="42rem">
        <TextInput
          label="Name"
          description="Clients see it when they decide."
          maxLength={200}
          required
          withAsterisk={false}
          {...form.getInputProps('name')}
        />
        <NoteField {...form.getInputProps('note')} />
        {key.usable && (
          <>
            <ExpiryField
              value={form.values.expiresAt}
              onChange={(expiresAt) => form.setFieldValue('expiresAt', expiresAt)}
              error={form.errors.expiresAt}
            />
            <NetworksField {...form.getInputProps('allowedNetworks')} />
          </>
        )}
        <StepFault of={{ ...change, error: fault }} />
        <FormEnd
          send="Save changes"
          step={change}
          onCancel={() => {
            release();
            onDone();
          }}
        />
      </Stack>
    </form>
  );
}

/** Only what differs: what somebody else has changed meanwhile stays. */
function changesOf(values: Draft, start: Draft) {
  const { name, note, expiresAt, allowedNetworks } = values;
  return {
    ...(name === start.name ? {} : { name: name.trim() }),
    ...(note === start.note ? {} : { note }),
    ...(expiresAt === start.expiresAt ? {} : expiresAt === null ? { noExpiry: true } : { expiresAt }),
    ...(allowedNetworks === start.allowedNetworks ? {} : { allowedNetworks: networksOf(allowedNetworks) }),
  };
}
