// Firm: the form of a request for access.
import { NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { MAX_ADDRESSEE, MAX_PURPOSE } from '#core/text-lengths.ts';
import { ExpiryPicker } from '../../../components/expiry-picker.tsx';
import { FormEnd } from '../../../components/form-end.tsx';
import { ScopePicker } from '../../../components/grants/scopes.tsx';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { type KeyChoice, keyLabel } from '../keys/key-label.ts';
import { FilterField } from './filter-field.tsx';
import { useGrantRequest } from './use-ask.ts';

export function RequestForm({ keys }: { keys: readonly KeyChoice[] }) {
  const { form, field, request, release, keyFault, scopesOfKey, chooseKey, submit } = useGrantRequest(keys);
  const { keyId } = form.values;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xl" maw="42rem">
        <TextInput
          label="Client"
          description="E-mail address or client id"
          autoComplete="off"
          maxLength={MAX_ADDRESSEE}
          errorProps={{ role: 'alert' }}
          {...form.getInputProps('client')}
        />
        <NativeSelect
          label="Key"
          description="The client must belong to the key’s environment."
          value={keyId}
          onChange={(event) => chooseKey(event.currentTarget.value)}
          error={keyFault}
          data={[
            // A select without the option of its value shows the first one.
            ...(keyFault === null ? [] : [{ value: keyId, label: 'No longer usable' }]),
            ...keys.map((key) => ({ value: key.id, label: `${keyLabel(key)}, ${key.environment}` })),
          ]}
        />
        <ScopePicker
          label="Scopes"
          description="Ask for what the purpose needs, no more: clients can grant less, never more."
          of={scopesOfKey}
          otherwise="The key does not have this scope."
          {...field('scopes')}
        />
        <FilterField {...field('filter')} />
        <ExpiryPicker label="For how long" never="Until the client revokes it" {...field('expiresAt')} />
        <Textarea
          label="Purpose"
          description="The client reads this when they decide."
          autosize
          minRows={3}
          maxLength={MAX_PURPOSE}
          {...form.getInputProps('purpose')}
        />
        <ActionFault of={request} />
        <FormEnd send="Send request" action={request} onCancel={release} to="/access" />
      </Stack>
    </form>
  );
}
