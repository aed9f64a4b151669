// Account: as whom one acts, of those with the same e-mail address.
import { Radio, Stack, Text } from '@mantine/core';
import { Section } from '../../components/page/section.tsx';
import type { Account } from '../../session/account.ts';
import { goOnAs, identityText } from '../../session/act-as.ts';
import classes from './account.module.css';

export function Identities({ account }: { account: Account }) {
  return (
    <Section title="Acting as" lead="Your e-mail address has several parts here. Each sees only its own pages.">
      <Radio.Group value={account.acting_as} onChange={(id) => void goOnAs(id)} aria-label="Acting as">
        <Stack gap="xs" maw="30rem">
          {account.identities.map((identity) => (
            <Radio.Card
              key={identity.user_id}
              value={identity.user_id}
              className={classes.card}
              aria-label={`${identityText(identity)}, ${identity.name}`}
            >
              <Radio.Indicator />
              <span>
                <Text component="span" display="block" fw={500} size="sm">
                  {identityText(identity)}
                </Text>
                <Text component="span" size="sm" c="dimmed">
                  {identity.name}
                </Text>
              </span>
            </Radio.Card>
          ))}
        </Stack>
      </Radio.Group>
    </Section>
  );
}
