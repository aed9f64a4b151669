// Firm: a client who grants access to the key: an existing one, or a test client for whom the reader answers.
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { ActionButton } from '../../../components/action-button.tsx';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { Grants, TestClients } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import type { KeyRow } from '../keys/key-columns.tsx';
import { TestClientActions } from '../sandbox/test-client-actions.tsx';
import { useCreateTestClient, useRequestToTestClient } from '../sandbox/use-test-clients.ts';

const ENOUGH = 5;

/** The newest active grants to the key. */
export const useFirstClient = (keyId: string | undefined) =>
  useRead(Grants, { status: ['active'], keyId: keyId ?? null, first: ENOUGH }, { enabled: keyId !== undefined });

export function FirstClient({ of: key }: { of: KeyRow | undefined }) {
  const { data } = useFirstClient(key?.id);
  if (key === undefined) return <p>A client decides what a key sees. Create the key first.</p>;
  if (data === undefined) return <p>Looking for one…</p>;
  if (data.nodes.length === 0) return <NoClient of={key} />;
  const more = data.totalItems - data.nodes.length;
  return (
    <p>
      {data.nodes.map(({ clientName }) => clientName).join(', ')}
      {more > 0 && ` and ${more} more`} {data.totalItems === 1 ? 'grants' : 'grant'} it access.{' '}
      {data.nodes.some(({ testClient }) => testClient) && (
        <>
          Narrow or revoke it under{' '}
          <Anchor component={Link} href="/sandbox" underline="always">
            Sandbox
          </Anchor>
          , and see what becomes of the call.
        </>
      )}
    </p>
  );
}

function NoClient({ of: key }: { of: KeyRow }) {
  const waiting = useRead(Grants, { status: ['pending'], keyId: key.id, first: ENOUGH }).data;
  const requested = waiting?.nodes.find(({ testClient }) => testClient);
  if (waiting === undefined) return <p>Looking for one…</p>;
  if (requested !== undefined)
    return (
      <Stack gap="sm">
        <p>
          “<bdi>{key.name}</bdi>” has asked <bdi>{requested.clientName}</bdi> for all that it may read. You answer for
          the test client.
        </p>
        <TestClientActions of={requested} />
      </Stack>
    );
  return <RequestOne of={key} />;
}

function RequestOne({ of: key }: { of: KeyRow }) {
  const found = useRead(TestClients, {}).data;
  const create = useCreateTestClient(key);
  const ask = useRequestToTestClient();
  const [existing] = found?.clients ?? [];
  return (
    <>
      <p>
        No client grants this key access yet. A test client is made up and belongs to your firm alone; it comes with 40
        items, their valuations and papers.
      </p>
      <Group gap="sm">
        {existing !== undefined && (
          <ActionButton onClick={() => ask.start(existing, key)} busy={ask.isPending}>
            {/* The label is a flex box: without the span, name and words would stand in columns. */}
            <span>
              Ask <bdi>{existing.name}</bdi>
            </span>
          </ActionButton>
        )}
        {(found === undefined || found.clients.length < found.max) && (
          <ActionButton
            variant={existing === undefined ? 'filled' : 'default'}
            onClick={create.start}
            busy={create.isPending}
          >
            Create a test client
          </ActionButton>
        )}
      </Group>
      <ActionFault of={create} />
      <ActionFault of={ask} />
      <Text size="sm" c="dimmed" mt="sm">
        Or{' '}
        <Anchor component={Link} href={`/access/ask?key=${key.id}`} underline="always">
          ask another sandbox client
        </Anchor>
        , who answers in their own account.
      </Text>
    </>
  );
}
