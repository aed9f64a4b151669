// Firm: a test client with its grants and requests, and the possible actions.
import { Anchor, Button, Group, NativeSelect, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { Link } from 'wouter';
import { ActionButton } from '../../../components/action-button.tsx';
import { Confirm } from '../../../components/confirm.tsx';
import { CopyText } from '../../../components/copy.tsx';
import { useTitleAfterLeaving } from '../../../components/focus.ts';
import { filterText } from '../../../components/grants/grant-filter.ts';
import { scopesText } from '../../../components/grants/scopes.tsx';
import { countOf } from '../../../components/numbers.tsx';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { Section } from '../../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { GrantStatus } from '../../../components/status.tsx';
import { Ends, Time } from '../../../components/time.tsx';
import { TestClientGrants } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { useIsDeveloper } from '../../../session/firm-role.ts';
import classes from './sandbox.module.css';
import { TestClientActions } from './test-client-actions.tsx';
import { type TestClient, type TestGrant, useDeleteTestClient, useRequestToTestClient } from './use-test-clients.ts';

export interface SandboxKeyChoice {
  id: string;
  name: string;
  scopes: readonly string[];
}

export function TestClientSection({ of: client, keys }: { of: TestClient; keys: readonly SandboxKeyChoice[] }) {
  const reading = useRead(TestClientGrants, { clientId: client.id });
  const mayAct = useIsDeveloper();
  return (
    <Section
      title={<bdi>{client.name}</bdi>}
      lead={
        <>
          {countOf(client.itemCount, 'item')}, made <Time at={client.createdAt} as="relative" /> ·{' '}
          <CopyText value={client.id} label="client id" />
        </>
      }
      actions={mayAct && <DeleteTestClient of={client} />}
    >
      <Reading of={reading} skeleton={<BlockSkeleton lines={3} />}>
        {({ nodes }) => (
          <>
            {nodes.length > 0 && (
              <ul className={classes.grants} aria-label={`Grants of ${client.name}`}>
                {nodes.map((grant) => (
                  <li key={grant.id}>
                    <GrantOf of={grant} />
                  </li>
                ))}
              </ul>
            )}
            {mayAct && (
              <Ask client={client} keys={keys.filter((key) => !nodes.some((grant) => isOpen(grant, key.id)))} />
            )}
          </>
        )}
      </Reading>
    </Section>
  );
}

/** Whether the key has a pending or active grant, so that it cannot request another. */
const isOpen = ({ status, keyId }: TestGrant, key: string): boolean =>
  keyId === key && (status === 'pending' || status === 'active');

function GrantOf({ of: grant }: { of: TestGrant }) {
  return (
    <>
      <Group gap="sm" mb={4}>
        <GrantStatus status={grant.status} />
        <Anchor component={Link} href={`/access/${grant.id}`} fw={600} c="inherit">
          <bdi>{grant.keyName}</bdi>
        </Anchor>
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        {scopesText(grant.scopes)} · {filterText(grant.filter)}
        {grant.status === 'active' && grant.expiresAt !== null && (
          <>
            {' '}
            · <Ends at={grant.expiresAt} />
          </>
        )}
      </Text>
      <TestClientActions of={grant} />
    </>
  );
}

function Ask({ client, keys }: { client: TestClient; keys: readonly SandboxKeyChoice[] }) {
  const [chosen, choose] = useState<string | null>(null);
  const ask = useRequestToTestClient();
  const key = keys.find(({ id }) => id === chosen) ?? keys[0];
  if (key === undefined) return null;
  return (
    <>
      <Group align="flex-end" gap="sm">
        {keys.length > 1 && (
          <NativeSelect
            label="With the key"
            value={key.id}
            onChange={(event) => choose(event.currentTarget.value)}
            data={keys.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
        <Group gap="sm">
          <ActionButton variant="default" onClick={() => ask.start(client, key)} busy={ask.isPending}>
            {keys.length > 1 ? (
              'Ask for access'
            ) : (
              // The label is a flex box: without the span, the name and the text would be separate columns.
              <span>
                Ask for access with “<bdi>{key.name}</bdi>”
              </span>
            )}
          </ActionButton>
          <Anchor component={Link} href={`/access/ask?client=${client.id}&key=${key.id}`} size="sm">
            Ask for less
          </Anchor>
        </Group>
      </Group>
      <ActionFault of={ask} about={key.id} />
    </>
  );
}

function DeleteTestClient({ of: client }: { of: TestClient }) {
  const [opened, question] = useDisclosure();
  const { ref, leaving } = useTitleAfterLeaving();
  const remove = useDeleteTestClient(() => {
    leaving();
    question.close();
    notifications.show({
      message: (
        <>
          <bdi>{client.name}</bdi> is deleted.
        </>
      ),
    });
  });
  return (
    <>
      <Button ref={ref} variant="default" onClick={question.open} aria-label={`Delete ${client.name}`}>
        Delete
      </Button>
      <Confirm
        opened={opened}
        onClose={question.close}
        title={
          <>
            Delete <bdi>{client.name}</bdi>?
          </>
        }
        confirm="Delete test client"
        onConfirm={() => remove.start({ id: client.id })}
        action={remove}
      >
        Its items are deleted, and calls about it are refused from then on. What was granted and read stays on record.
      </Confirm>
    </>
  );
}
