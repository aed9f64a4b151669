// Firm: the firm's test clients.
import { Anchor } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { Link } from 'wouter';
import { ActionButton } from '../../../components/action-button.tsx';
import { countOf } from '../../../components/numbers.tsx';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { BlockSkeleton, Empty, Reading } from '../../../components/page/states.tsx';
import { KeyChoices, TestClients } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { useIsDeveloper } from '../../../session/firm-role.ts';
import { type SandboxKeyChoice, TestClientSection } from './test-client-section.tsx';
import { useCreateTestClient } from './use-test-clients.ts';

export default function SandboxPage() {
  const reading = useRead(TestClients, {});
  const choices = useRead(KeyChoices, {}).data ?? [];
  const keys: SandboxKeyChoice[] = choices.filter(
    ({ environment, status }) => environment === 'sandbox' && status === 'active',
  );
  const create = useCreateTestClient(undefined);
  const mayAct = useIsDeveloper();
  const full = reading.data !== undefined && reading.data.clients.length >= reading.data.max;
  return (
    <>
      <PageHeader
        title="Sandbox"
        lead="Test clients are fictitious, belong to your firm only, and are read by sandbox keys only. You answer in their place: approve, narrow or revoke, and see how your program reacts."
        actions={
          mayAct && (
            <ActionButton onClick={create.start} busy={create.isPending} disabled={full}>
              Create a test client
            </ActionButton>
          )
        }
      />
      <ActionFault of={create} />
      <Reading of={reading} skeleton={<BlockSkeleton lines={8} />}>
        {({ clients, max }) => (
          <>
            {clients.length === 0 ? (
              <Empty icon={IconFlask} title="No test clients yet">
                Each comes with a portfolio: items of many kinds, their valuations, papers and collections.
              </Empty>
            ) : (
              clients.map((client) => <TestClientSection key={client.id} of={client} keys={keys} />)
            )}
            {full && (
              <p>Your firm has all of {countOf(max, 'test client')} that it may have. Delete one to make another.</p>
            )}
            {mayAct && clients.length > 0 && keys.length === 0 && (
              <p>
                There is no sandbox key to read them with.{' '}
                <Anchor component={Link} href="/start" underline="always">
                  Create one
                </Anchor>
              </p>
            )}
          </>
        )}
      </Reading>
    </>
  );
}
