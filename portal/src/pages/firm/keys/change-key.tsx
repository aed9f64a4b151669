// Firm: changes a key's name, note, expiry and networks.
import { Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { MAX_NAME } from '#core/text-lengths.ts';
import { expiryFault } from '../../../components/expiry-fault.ts';
import { FormEnd } from '../../../components/form-end.tsx';
import { useGuardedForm } from '../../../components/guarded-form.ts';
import { withNames } from '../../../components/names.ts';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { isSame } from '../../../components/same.ts';
import { ChangeKey, FirmKey, type FirmKeyQuery } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { useAction } from '../../../graphql/use-action.ts';
import { ExpiryField, NetworksField, NoteField, nameFault, networksOf } from './key-settings.tsx';
import { sameNetworks } from './same-networks.ts';

/** The form's name among the drafts of the page. */
export const CHANGE_DRAFT = 'settings';

interface Settings {
  name: string;
  note: string;
  expiresAt: string | null;
  allowedNetworks: string;
}

interface Draft extends Settings {
  /** The original values: the key is read again while the form is open, and unchanged values are not sent. */
  before: Settings;
}

const settingsOf = ({ name, note, expiresAt, allowedNetworks }: FirmKeyQuery['body']): Settings => ({
  name,
  note: note ?? '',
  expiresAt,
  allowedNetworks: allowedNetworks.join('\n'),
});

export function ChangeKeyForm({ of: key, onDone }: { of: FirmKeyQuery['body']; onDone: () => void }) {
  const change = useAction(ChangeKey, {
    // Done if the last recorded change is from after the request, and the key has the requested values.
    lookUp: async ({ id, name, note, expiresAt, noExpiry, allowedNetworks }, since) => {
      const found = await call(FirmKey, { id });
      const recent = found.events.some(
        ({ action, at, keyId }) => action === 'change' && keyId === id && Date.parse(at) >= since,
      );
      const as = [name ?? found.name, note ?? found.note ?? '', noExpiry ? null : (expiresAt ?? found.expiresAt)];
      const networks = sameNetworks([allowedNetworks ?? found.allowedNetworks].flat(), found.allowedNetworks);
      return recent && networks && isSame(as, [found.name, found.note ?? '', found.expiresAt]) ? found : null;
    },
    done: ({ name }) => withNames`“${name}” is changed. The change applies from now on.`,
    onDone,
  });
  const [start] = useState<Draft>(() => ({ ...settingsOf(key), before: settingsOf(key) }));
  const { form, field, fault, release, submit } = useGuardedForm<Draft>({
    name: CHANGE_DRAFT,
    start,
    validate: { name: nameFault, expiresAt: (at, { before }) => (at === before.expiresAt ? null : expiryFault(at)) },
    refused: change.error,
  });
  const send = submit((values) => {
    const changes = changesOf(values);
    if (isSame(changes, {})) return onDone();
    change.start({ id: key.id, ...changes });
  });
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="lg" maw="42rem">
        <TextInput
          label="Name"
          description="Clients see it when they decide."
          maxLength={MAX_NAME}
          required
          withAsterisk={false}
          {...form.getInputProps('name')}
        />
        <NoteField {...form.getInputProps('note')} />
        {key.usable && (
          <>
            <ExpiryField {...field('expiresAt')} />
            <NetworksField {...form.getInputProps('allowedNetworks')} />
          </>
        )}
        <ActionFault of={{ ...change, error: fault }} />
        <FormEnd
          send="Save changes"
          action={change}
          onCancel={() => {
            release();
            onDone();
          }}
        />
      </Stack>
    </form>
  );
}

/** Only differences, so that concurrent changes by others are kept. */
function changesOf({ before, name, note, expiresAt, allowedNetworks }: Draft) {
  const networks = { allowedNetworks: networksOf(allowedNetworks), networksBefore: networksOf(before.allowedNetworks) };
  return {
    ...(name === before.name ? {} : { name: name.trim() }),
    ...(note === before.note ? {} : { note }),
    ...(expiresAt === before.expiresAt ? {} : expiresAt === null ? { noExpiry: true } : { expiresAt }),
    ...(allowedNetworks === before.allowedNetworks ? {} : networks),
  };
}
