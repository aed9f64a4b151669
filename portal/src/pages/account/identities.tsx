// Account: as whom one acts, of those with the same e-mail address.
import { Radio, Stack } from '@mantine/core';
import { ChoiceCard } from '../../components/choice-card.tsx';
import { Section } from '../../components/page/section.tsx';
import type { Account } from '../../session/account.ts';
import { goOnAs, identityText } from '../../session/act-as.ts';

export function Identities({ account }: { account: Account }) {
  return (
    <Section title="Acting as" lead="Your e-mail address has several parts here. Each sees only its own pages.">
      <Radio.Group value={account.acting_as} onChange={(id) => void goOnAs(id)} aria-label="Acting as">
        <Stack gap="xs" maw="30rem">
          {account.identities.map((identity) => (
            <ChoiceCard
              key={identity.user_id}
              value={identity.user_id}
              name={identityText(identity)}
              meaning={identity.name}
              label={`${identityText(identity)}, ${identity.name}`}
            />
          ))}
        </Stack>
      </Radio.Group>
    </Section>
  );
}
