// Firm: who it is, for the clients who decide about it, and what was changed of that.
import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { FirmFacts, type FirmIdentity } from '../../../components/firm-identity.tsx';
import { useGuardedForm } from '../../../components/guarded-form.ts';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Section } from '../../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { StepFault } from '../../../components/page/step-fault.tsx';
import { isSame } from '../../../components/same.ts';
import { Timeline } from '../../../components/timeline.tsx';
import { FirmDetails, SetFirmIdentity } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { useRead } from '../../../graphql/hooks.ts';
import type { BodyOf } from '../../../graphql/operation.ts';
import { useStep } from '../../../graphql/use-step.ts';
import { useIsAdministrator } from '../../../session/firm-role.ts';

type Firm = NonNullable<BodyOf<typeof FirmDetails>['firm']>;

export default function FirmPage() {
  const reading = useRead(FirmDetails, {});
  return (
    <>
      <PageHeader
        title="Firm"
        lead="Clients see this wherever they decide about you: at requests, connections and receipts, and in mails."
      />
      <Reading of={reading} skeleton={<BlockSkeleton lines={10} />}>
        {({ firm }) => firm && <Details key={JSON.stringify(firm.identity)} of={firm} />}
      </Reading>
    </>
  );
}

function Details({ of: { name, identity, identityHistory } }: { of: Firm }) {
  const mayChange = useIsAdministrator();
  return (
    <>
      <Section title={name} lead="The name is that of your contract. To change it, write to operations.">
        {mayChange ? <IdentityForm of={identity} /> : <FirmFacts of={identity} />}
      </Section>
      <Section title="Changes">
        {identityHistory.length === 0 ? (
          <Text c="dimmed">None yet.</Text>
        ) : (
          <Timeline
            rows={identityHistory.map(({ at, actor, parts }) => ({
              id: at,
              at,
              what: `${parts.map((part) => WORDS[part] ?? part).join(', ')} changed by ${actor.name}`,
            }))}
          />
        )}
      </Section>
    </>
  );
}

const WORDS: Record<string, string> = { address: 'Address', website: 'Web site', email: 'E-mail', phone: 'Telephone' };

type Draft = Record<keyof FirmIdentity, string>;

const filled = ({ address, website, email, phone }: FirmIdentity): Draft => ({
  address: address ?? '',
  website: website ?? '',
  email: email ?? '',
  phone: phone ?? '',
});

function IdentityForm({ of: identity }: { of: FirmIdentity }) {
  const save = useStep(SetFirmIdentity, {
    touches: [FirmDetails],
    ask: async (wanted) => {
      const { firm } = await call(FirmDetails, {});
      return firm !== null && isSame(filled(firm.identity), wanted) ? firm.identity : null;
    },
    onDone: () => {
      release();
      notifications.show({ message: 'Clients see it from now on.' });
    },
  });
  const { form, fault, release, submit } = useGuardedForm<Draft>({
    name: 'firm',
    start: filled(identity),
    validate: {
      website: (text) => (text.trim() === '' || /^https:\/\//.test(text.trim()) ? null : 'Begin with https://'),
      email: (text) => (text.trim() === '' || /^\S+@\S+$/.test(text.trim()) ? null : 'This is not an e-mail address.'),
    },
    refused: save.error,
  });
  const send = submit(({ address, website, email, phone }) =>
    save.take({ address: address.trim(), website: website.trim(), email: email.trim(), phone: phone.trim() }),
  );
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="lg" maw="32rem">
        <Textarea label="Address" autosize minRows={3} maxLength={500} {...form.getInputProps('address')} />
        <TextInput
          label="Web site"
          description="Begins with https://"
          type="url"
          maxLength={200}
          {...form.getInputProps('website')}
        />
        <TextInput label="E-mail" description="Where clients write to" type="email" {...form.getInputProps('email')} />
        <TextInput label="Telephone" type="tel" maxLength={40} {...form.getInputProps('phone')} />
        <StepFault of={{ ...save, error: fault }} />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={isSame(form.values, filled(identity))}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
