// Firm: the form of a request for access.
import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { Link, useLocation, useSearchParams } from 'wouter';
import { ExpiryPicker } from '../../components/expiry-picker.tsx';
import { ScopePicker } from '../../components/scopes.tsx';
import { Failure } from '../../components/states.tsx';
import { FirmKey, FirmKeys, GrantCounts, Grants, type KeyChoices, RequestGrant } from '../../generated/operations.ts';
import { useStep } from '../../graphql/hooks.ts';
import type { BodyOf } from '../../graphql/operation.ts';
import { type FilterDraft, FilterField, filterFault, filterInput } from './filter-field.tsx';

type Choice = BodyOf<typeof KeyChoices>[number];

const ENVIRONMENT_WORDS: Record<string, string> = { sandbox: 'sandbox', production: 'production' };

export function AskForm({ keys }: { keys: readonly Choice[] }) {
  const [wanted] = useSearchParams();
  const [, navigate] = useLocation();
  const keyOf = (id: string) => keys.find((key) => key.id === id) ?? keys[0];
  const first = keyOf(wanted.get('key') ?? '');
  const ask = useStep(RequestGrant, {
    touches: [Grants, GrantCounts, FirmKeys, FirmKey],
    onDone: ({ id, clientName }) => {
      notifications.show({ message: `${clientName} has your request.` });
      navigate(`/access/${id}`);
    },
  });
  const form = useForm({
    initialValues: {
      client: wanted.get('client') ?? '',
      keyId: first?.id ?? '',
      scopes: wanted.get('scopes')?.split(',') ?? [...(first?.scopes ?? [])],
      filter: { type: 'all', categories: [], items: '', collection: '' } as FilterDraft,
      expiresAt: null as string | null,
      purpose: '',
    },
    validate: {
      client: (client) => (client.trim() === '' ? 'Say whom to ask.' : null),
      scopes: (scopes) => (scopes.length === 0 ? 'Ask for at least one scope.' : null),
      filter: filterFault,
      purpose: (purpose) => (purpose.trim() === '' ? 'Say what it is for: the client decides by it.' : null),
    },
  });
  const { values, errors, setFieldValue } = form;
  const chooseKey = (id: string) => {
    form.setValues({ keyId: id, scopes: [...(keyOf(id)?.scopes ?? [])] });
  };
  const submit = form.onSubmit(({ client, keyId, scopes, filter, expiresAt, purpose }) =>
    ask.mutate({
      client: client.trim(),
      keyId,
      scopes,
      filter: filterInput(filter),
      expiresAt,
      purpose: purpose.trim(),
    }),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xl" maw="42rem">
        <TextInput
          label="Client"
          description="E-mail address or client id"
          autoComplete="off"
          {...form.getInputProps('client')}
        />
        <NativeSelect
          label="Key"
          description="The client must belong to the key’s environment."
          value={values.keyId}
          onChange={(event) => chooseKey(event.currentTarget.value)}
          data={keys.map(({ id, name, environment }) => ({
            value: id,
            label: `${name} (${ENVIRONMENT_WORDS[environment] ?? environment})`,
          }))}
        />
        <ScopePicker
          label="Scopes"
          description="Ask for what the purpose needs, no more: clients can grant less, never more."
          value={values.scopes}
          onChange={(scopes) => setFieldValue('scopes', scopes)}
          of={keyOf(values.keyId)?.scopes ?? []}
          otherwise="The key does not have this scope"
          error={errors.scopes}
        />
        <FilterField
          value={values.filter}
          onChange={(filter) => setFieldValue('filter', filter)}
          error={errors.filter}
        />
        <ExpiryPicker
          label="For how long"
          never="Until the client revokes it"
          value={values.expiresAt}
          onChange={(expiresAt) => setFieldValue('expiresAt', expiresAt)}
        />
        <Textarea
          label="Purpose"
          description="The client reads this when they decide."
          autosize
          minRows={3}
          maxLength={2000}
          {...form.getInputProps('purpose')}
        />
        {ask.error && <Failure error={ask.error} />}
        <Group>
          <Button type="submit" loading={ask.isPending}>
            Send request
          </Button>
          <Button variant="default" component={Link} href="/access">
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
