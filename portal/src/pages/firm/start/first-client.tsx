// Firm: a client who grants access to the key: an existing one, or a test client for whom the reader answers.
import { Group, Stack } from '@mantine/core';
import { ActionButton } from '../../../components/action-button.tsx';
import { Dimmed } from '../../../components/dimmed.tsx';
import { list } from '../../../components/locale.ts';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { Reading } from '../../../components/page/states.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { Grants, type GrantsQuery, TestClients } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import type { KeyRow } from '../keys/key-columns.tsx';
import { TestClientActions } from '../sandbox/test-client-actions.tsx';
import { useCreateTestClient, useRequestToTestClient } from '../sandbox/use-test-clients.ts';

const ENOUGH = 5;

/** The newest active grants to the key. */
export const useFirstClient = (keyId: string | undefined) =>
  useRead(Grants, { status: ['active'], keyId: keyId ?? null, first: ENOUGH }, { enabled: keyId !== undefined });

export function FirstClient({ of: key }: { of: KeyRow | undefined }) {
  const reading = useFirstClient(key?.id);
  if (key === undefined) return <p>A client decides what a key sees. Create the key first.</p>;
  return (
    <Reading of={reading} skeleton={LOOKING}>
      {(found) => (found.nodes.length === 0 ? <NoClient of={key} /> : <Clients of={found} />)}
    </Reading>
  );
}

const LOOKING = <p>Looking for one…</p>;

function Clients({ of: { nodes, totalItems } }: { of: GrantsQuery['body'] }) {
  const more = totalItems - nodes.length;
  return (
    <p>
      {list.format(nodes.map(({ clientName }) => clientName ?? ''))}
      {more > 0 && ` and ${more} more`} {totalItems === 1 ? 'grants' : 'grant'} it access.{' '}
      {nodes.some(({ testClient }) => testClient) && (
        <>
          Narrow or revoke it under <TextLink href="/sandbox">Sandbox</TextLink>, and see what becomes of the call.
        </>
      )}
    </p>
  );
}

function NoClient({ of: key }: { of: KeyRow }) {
  const reading = useRead(Grants, { status: ['pending'], keyId: key.id, first: ENOUGH });
  return (
    <Reading of={reading} skeleton={LOOKING}>
      {({ nodes }) => {
        const requested = nodes.find(({ testClient }) => testClient);
        return requested === undefined ? <RequestOne of={key} /> : <Requested by={key} of={requested} />;
      }}
    </Reading>
  );
}

function Requested({ by: key, of: grant }: { by: KeyRow; of: GrantsQuery['body']['nodes'][number] }) {
  return (
    <Stack gap="sm">
      <p>
        “<bdi>{key.name}</bdi>” has asked <bdi>{grant.clientName}</bdi> for access. You answer for the test client.
      </p>
      <TestClientActions of={grant} />
    </Stack>
  );
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
      <Dimmed mt="sm">
        Or <TextLink href={`/access/ask?key=${key.id}`}>ask another sandbox client</TextLink>, who answers in their own
        account.
      </Dimmed>
    </>
  );
}
