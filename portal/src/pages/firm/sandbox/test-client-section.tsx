// Firm: a test client with its grants and requests, and the possible actions.
import { Anchor, Group, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { ActionButton } from '../../../components/action-button.tsx';
import { ConfirmedAction } from '../../../components/confirmed-action.tsx';
import { CopyText } from '../../../components/copy.tsx';
import { Dimmed } from '../../../components/dimmed.tsx';
import { filterText } from '../../../components/grants/grant-filter.ts';
import { scopesText } from '../../../components/grants/scopes.tsx';
import { withNames } from '../../../components/names.ts';
import { countOf, countText } from '../../../components/numbers.tsx';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { Section } from '../../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { GrantStatus } from '../../../components/status.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { Ends, Time } from '../../../components/time.tsx';
import { DeleteTestClient, TestClientGrants, TestClients } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { useIsDeveloper } from '../../../session/firm-role.ts';
import { type KeyChoice, keyLabel } from '../keys/key-label.ts';
import classes from './sandbox.module.css';
import { TestClientActions } from './test-client-actions.tsx';
import { type TestClient, type TestGrant, useRequestToTestClient } from './use-test-clients.ts';

const SHOWN = 20;

const OPEN = ['pending', 'active'];

/** The largest page. Each key has at most one open grant, and firms have 100 keys at most, if not configured otherwise. */
const EVERY_OPEN = 100;

export function TestClientSection({ of: client, keys }: { of: TestClient; keys: readonly KeyChoice[] }) {
  const reading = useRead(TestClientGrants, { clientId: client.id, first: SHOWN });
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
      actions={mayAct && <DeleteTestClientButton of={client} />}
    >
      <Reading of={reading} skeleton={<BlockSkeleton lines={3} />}>
        {({ nodes, totalItems }) => (
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
            {totalItems > nodes.length && (
              <Text size="sm" mb="md">
                The newest {nodes.length} of {countText(totalItems)} are shown here; all of them are under{' '}
                <TextLink href={`/access?search=${encodeURIComponent(client.name)}`}>Access</TextLink>.
              </Text>
            )}
            {mayAct &&
              (totalItems > nodes.length ? (
                <AskBesideMore client={client} keys={keys} />
              ) : (
                <Ask client={client} keys={withoutOpen(keys, nodes)} />
              ))}
          </>
        )}
      </Reading>
    </Section>
  );
}

/** The keys without a pending or active grant: another cannot be requested. */
const withoutOpen = (keys: readonly KeyChoice[], grants: readonly TestGrant[]): KeyChoice[] =>
  keys.filter(({ id }) => !grants.some(({ status, keyId }) => keyId === id && OPEN.includes(status)));

/** Of a client with more grants than are shown, among which may be open ones. */
function AskBesideMore({ client, keys }: { client: TestClient; keys: readonly KeyChoice[] }) {
  const reading = useRead(TestClientGrants, { clientId: client.id, status: OPEN, first: EVERY_OPEN });
  return (
    <Reading of={reading} skeleton={null}>
      {({ nodes }) => <Ask client={client} keys={withoutOpen(keys, nodes)} />}
    </Reading>
  );
}

function GrantOf({ of: grant }: { of: TestGrant }) {
  return (
    <>
      <Group gap="sm" mb={4}>
        <GrantStatus status={grant.status} />
        <Anchor component={Link} href={`/access/${grant.id}`} fw={600} c="inherit" className={classes.target}>
          <bdi>{grant.keyName}</bdi>
        </Anchor>
      </Group>
      <Dimmed mb="sm">
        {scopesText(grant.scopes)} · {filterText(grant.filter)}
        {grant.status === 'active' && grant.expiresAt !== null && (
          <>
            {' '}
            · <Ends at={grant.expiresAt} />
          </>
        )}
      </Dimmed>
      <TestClientActions of={grant} />
    </>
  );
}

function Ask({ client, keys }: { client: TestClient; keys: readonly KeyChoice[] }) {
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
            data={keys.map((one) => ({ value: one.id, label: keyLabel(one) }))}
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
          <Anchor
            component={Link}
            href={`/access/ask?client=${client.id}&key=${key.id}`}
            size="sm"
            className={classes.target}
          >
            Ask for less
          </Anchor>
        </Group>
      </Group>
      <ActionFault of={ask} about={key.id} />
    </>
  );
}

function DeleteTestClientButton({ of: { id, name } }: { of: TestClient }) {
  return (
    <ConfirmedAction
      operation={DeleteTestClient}
      variables={{ id }}
      lookUp={async () => {
        const found = await call(TestClients, {});
        return found.clients.some((client) => client.id === id) ? null : found;
      }}
      label="Delete"
      aria-label={`Delete ${name}`}
      title={withNames`Delete ${name}?`}
      confirm="Delete test client"
      done={withNames`${name} is deleted.`}
    >
      Its items are deleted, and calls about it are refused from then on. What was granted and read stays on record.
    </ConfirmedAction>
  );
}
