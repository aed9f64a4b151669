// Firm: the firm's test clients.
import { IconFlask } from '@tabler/icons-react';
import { ActionButton } from '../../../components/action-button.tsx';
import { countOf } from '../../../components/numbers.tsx';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { BlockSkeleton, Empty, Reading } from '../../../components/page/states.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { KeyChoices, TestClients } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { useIsDeveloper } from '../../../session/firm-role.ts';
import type { KeyChoice } from '../keys/key-label.ts';
import { TestClientSection } from './test-client-section.tsx';
import { type TestClient, useCreateTestClient } from './use-test-clients.ts';

export default function SandboxPage() {
  const reading = useRead(TestClients, {});
  const choices = useRead(KeyChoices, {});
  const create = useCreateTestClient(undefined);
  const mayAct = useIsDeveloper();
  const full = reading.data !== undefined && reading.data.clients.length >= reading.data.max;
  return (
    <>
      <PageHeader
        title="Sandbox"
        lead="Test clients are fictitious, belong to your firm only, and are read by sandbox keys only. Your firm answers in their place: it approves, narrows or revokes, and sees how its program reacts."
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
              <Reading of={choices} skeleton={<BlockSkeleton lines={8} />}>
                {(all) => <WithKeys clients={clients} keys={all.filter(isUsable)} />}
              </Reading>
            )}
            {full && (
              <p>Your firm has all of {countOf(max, 'test client')} that it may have. Delete one to make another.</p>
            )}
          </>
        )}
      </Reading>
    </>
  );
}

const isUsable = ({ environment, status }: KeyChoice): boolean => environment === 'sandbox' && status === 'active';

interface WithKeysProps {
  clients: readonly TestClient[];
  keys: readonly KeyChoice[];
}

function WithKeys({ clients, keys }: WithKeysProps) {
  const mayAct = useIsDeveloper();
  return (
    <>
      {clients.map((client) => (
        <TestClientSection key={client.id} of={client} keys={keys} />
      ))}
      {mayAct && keys.length === 0 && (
        <p>
          There is no sandbox key to read them with. <TextLink href="/start">Create one</TextLink>
        </p>
      )}
    </>
  );
}
