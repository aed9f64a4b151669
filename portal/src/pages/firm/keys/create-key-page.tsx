// Firm: creates a key, and shows its secret once.
import { Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { MAX_NAME } from '#core/text-lengths.ts';
import { expiryFault } from '../../../components/expiry-fault.ts';
import { useTitleOnChange } from '../../../components/focus.ts';
import { FormEnd } from '../../../components/form-end.tsx';
import { ScopePicker } from '../../../components/grants/scopes.tsx';
import { useGuardedForm } from '../../../components/guarded-form.ts';
import { withNames } from '../../../components/names.ts';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { CreateKey } from '../../../generated/operations.ts';
import { newId } from '../../../graphql/new-id.ts';
import { useAction } from '../../../graphql/use-action.ts';
import { PlanNotice, usePlanActive } from '../plan-notice.tsx';
import { EnvironmentChoice } from './environment-choice.tsx';
import { type Issued, useIssued } from './issued.ts';
import { ExpiryField, NetworksField, NoteField, nameFault, networksOf, useLatestExpiry } from './key-settings.tsx';
import { createdWithoutSecret } from './lost-secret.ts';
import { SecretOnce } from './secret-once.tsx';

export default function CreateKeyPage() {
  const [issued, setIssued] = useIssued();
  const planActive = usePlanActive();
  useTitleOnChange(issued);
  if (issued !== null)
    return (
      <>
        <PageHeader
          title={`“${issued.key.name}” is ready`}
          shown={withNames`“${issued.key.name}” is ready`}
          lead="It works from this moment on."
        />
        <SecretOnce secret={issued.secret} next={`/keys/${issued.key.id}`} />
      </>
    );
  return (
    <>
      <PageHeader
        title="Create a key"
        back={{ to: '/keys', label: 'API keys' }}
        lead="Give it no more than the system that will use it needs: scopes cannot be added later."
      />
      <PlanNotice />
      {planActive && <KeyForm onIssued={setIssued} />}
    </>
  );
}

interface KeyDraft {
  name: string;
  environment: string;
  scopes: string[];
  expiresAt: string | null;
  note: string;
  allowedNetworks: string;
}

const NEW_KEY = { name: '', environment: 'sandbox', scopes: ['registry'], note: '', allowedNetworks: '' };

function KeyForm({ onIssued }: { onIssued: (issued: Issued) => void }) {
  const create = useAction(CreateKey, { lookUp: createdWithoutSecret, onDone: onIssued });
  const latest = useLatestExpiry();
  const [start] = useState<KeyDraft>({ ...NEW_KEY, expiresAt: latest });
  const { form, field, fault, release, submit } = useGuardedForm<KeyDraft>({
    name: 'key',
    start,
    validate: {
      name: nameFault,
      scopes: (scopes) => (scopes.length === 0 ? 'Choose at least one scope.' : null),
      expiresAt: expiryFault,
    },
    refused: create.error,
  });
  const send = submit((values) =>
    create.start({
      ...values,
      id: newId('key'),
      name: values.name.trim(),
      allowedNetworks: networksOf(values.allowedNetworks),
    }),
  );
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="xl" maw="42rem">
        <TextInput
          label="Name"
          description="What will use it, e.g. “Ledger sync”. Clients see it when they decide."
          maxLength={MAX_NAME}
          required
          withAsterisk={false}
          {...form.getInputProps('name')}
        />
        <EnvironmentChoice {...field('environment')} />
        <ScopePicker
          label="Scopes"
          description="What the key can read at most. Each client decides how much of it they grant."
          {...field('scopes')}
        />
        <ExpiryField {...field('expiresAt')} />
        <NetworksField {...form.getInputProps('allowedNetworks')} />
        <NoteField {...form.getInputProps('note')} />
        <ActionFault of={{ ...create, error: fault }} />
        <FormEnd send="Create key" action={create} onCancel={release} to="/keys" />
      </Stack>
    </form>
  );
}
