// Firm: the firm's details for the clients who decide about it, and their changes.
import { Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useEffect } from 'react';
import { upperFirst } from '#core/first-letter.ts';
import { MAX_ADDRESS, MAX_EMAIL, MAX_PHONE, MAX_WEBSITE } from '#core/text-lengths.ts';
import { ActionButton } from '../../../components/action-button.tsx';
import { FirmFacts } from '../../../components/firm-identity.tsx';
import { useGuardedForm } from '../../../components/guarded-form.ts';
import { list } from '../../../components/locale.ts';
import { plain, withNames } from '../../../components/names.ts';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Section } from '../../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { isSame } from '../../../components/same.ts';
import { Timeline } from '../../../components/timeline.tsx';
import {
  type FirmContactFragment,
  FirmDetails,
  type FirmDetailsQuery,
  SetFirmIdentity,
} from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { useAction } from '../../../graphql/use-action.ts';
import { useIsAdministrator } from '../../../session/firm-role.ts';

type Firm = NonNullable<FirmDetailsQuery['body']['firm']>;

export default function FirmPage() {
  const reading = useRead(FirmDetails, {});
  return (
    <>
      <PageHeader
        title="Firm"
        lead="Clients see this wherever they decide about you: with requests, grants and receipts, and in mails."
      />
      <Reading of={reading} skeleton={<BlockSkeleton lines={10} />}>
        {({ firm }) => firm && <Details of={firm} />}
      </Reading>
    </>
  );
}

function Details({ of: { name, identity, identityHistory } }: { of: Firm }) {
  const mayChange = useIsAdministrator();
  return (
    <>
      <Section title={<bdi>{name}</bdi>} lead="The name is that of your contract. To change it, ask Portico’s staff.">
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
              what: withNames`${plain(partsText(parts))} changed by ${actor.name}`,
            }))}
          />
        )}
      </Section>
    </>
  );
}

const WORDS: Record<string, string> = { address: 'address', website: 'web site', email: 'e-mail', phone: 'telephone' };

const partsText = (parts: readonly string[]): string =>
  upperFirst(list.format(parts.map((part) => WORDS[part] ?? part)));

type Filled = Record<keyof FirmContactFragment, string>;

interface Draft extends Filled {
  /** The original values: unchanged ones are not sent, so that concurrent changes by others are kept. */
  before: Filled;
}

const filled = ({ address, website, email, phone }: FirmContactFragment): Filled => ({
  address: address ?? '',
  website: website ?? '',
  email: email ?? '',
  phone: phone ?? '',
});

const draftOf = (identity: FirmContactFragment): Draft => ({ ...filled(identity), before: filled(identity) });

function changesOf({ before, ...values }: Draft): Partial<Filled> {
  const changed = Object.entries(values).filter(([part, value]) => value !== before[part as keyof Filled]);
  return Object.fromEntries(changed.map(([part, value]) => [part, value.trim()]));
}

const isUnchanged = (draft: Draft): boolean => Object.keys(changesOf(draft)).length === 0;

function IdentityForm({ of: identity }: { of: FirmContactFragment }) {
  const save = useAction(SetFirmIdentity, {
    lookUp: async (wanted) => {
      const { firm } = await call(FirmDetails, {});
      if (firm === null) return null;
      const now = filled(firm.identity);
      return isSame(now, { ...now, ...wanted }) ? firm.identity : null;
    },
    onDone: (saved) => {
      release();
      form.setValues(draftOf(saved));
    },
    done: () => 'Clients see it from now on.',
  });
  const { form, fault, release, submit } = useGuardedForm<Draft>({
    name: 'firm',
    start: draftOf(identity),
    validate: {
      website: (text) => (text.trim() === '' || /^https:\/\//.test(text.trim()) ? null : 'Begin with https://'),
      email: (text) => (text.trim() === '' || /^\S+@\S+$/.test(text.trim()) ? null : 'This is not an e-mail address.'),
    },
    refused: save.error,
  });
  const send = submit((draft) => save.start(changesOf(draft)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows refetched details as long as nothing is filled in.
  useEffect(() => {
    if (isUnchanged(form.values)) form.setValues(draftOf(identity));
  }, [identity]);
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="lg" maw="32rem">
        <Textarea label="Address" autosize minRows={3} maxLength={MAX_ADDRESS} {...form.getInputProps('address')} />
        <TextInput
          label="Web site"
          description="Begins with https://"
          type="url"
          maxLength={MAX_WEBSITE}
          {...form.getInputProps('website')}
        />
        <TextInput
          label="E-mail"
          description="Where clients write to"
          type="email"
          maxLength={MAX_EMAIL}
          {...form.getInputProps('email')}
        />
        <TextInput label="Telephone" type="tel" maxLength={MAX_PHONE} {...form.getInputProps('phone')} />
        <ActionFault of={{ ...save, error: fault }} />
        <Group>
          <ActionButton type="submit" busy={save.isPending} disabled={isUnchanged(form.values)}>
            Save
          </ActionButton>
        </Group>
      </Stack>
    </form>
  );
}
