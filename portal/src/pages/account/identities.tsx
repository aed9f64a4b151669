// Account: switches between identities with the same e-mail address.
import { Button, Group, Text } from '@mantine/core';
import { Dimmed } from '../../components/dimmed.tsx';
import { Section } from '../../components/page/section.tsx';
import { Status } from '../../components/status.tsx';
import type { Account } from '../../session/account.ts';
import { goOnAs, identityText } from '../../session/act-as.ts';
import classes from './account.module.css';

export function Identities({ account }: { account: Account }) {
  return (
    <Section title="Acting as" lead="Your e-mail address has several roles here. Each role has its own pages.">
      <ul className={classes.sessions}>
        {account.identities.map((identity) => {
          const { user_id, name } = identity;
          const current = user_id === account.acting_as;
          return (
            <li key={user_id} className={classes.session}>
              <div>
                <Group gap="xs">
                  <Text size="sm" fw={500} className="breakable">
                    {identityText(identity)}
                  </Text>
                  {current && <Status tone="good">This one</Status>}
                </Group>
                <Dimmed className="breakable">{name}</Dimmed>
              </div>
              {!current && (
                <Button
                  variant="default"
                  size="xs"
                  onClick={() => void goOnAs(user_id)}
                  aria-label={`Continue as ${identityText(identity)}, ${name}`}
                >
                  Continue
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
