// Firm: a guide to the first response, with the reader's own sandbox key.
import { Anchor, Button, Text } from '@mantine/core';
import { IconBook2 } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { CopyBlock } from '../../../components/copy.tsx';
import { Dimmed } from '../../../components/dimmed.tsx';
import { withNames } from '../../../components/names.ts';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { FirmKeys } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { apiBaseUrl, useViewer } from '../../../session/viewer.ts';
import { curlOf } from '../curl.ts';
import { useIssued } from '../keys/issued.ts';
import type { KeyRow } from '../keys/key-columns.tsx';
import { SandboxKey } from '../keys/sandbox-key.tsx';
import { FirstClient, useFirstClient } from './first-client.tsx';
import classes from './start.module.css';
import { TryIt } from './try-it.tsx';

export default function StartPage() {
  const reading = useRead(FirmKeys, {});
  return (
    <>
      <PageHeader
        title="Getting started"
        lead="From a key to the first response. Test clients are fictitious: nothing can go wrong."
        actions={
          <Button component="a" href="/docs" variant="default" leftSection={<IconBook2 size={17} aria-hidden />}>
            API reference
          </Button>
        }
      />
      <Reading of={reading} skeleton={<BlockSkeleton lines={10} />}>
        {(keys) => <Steps keys={keys.filter((key) => key.environment === 'sandbox' && key.status === 'active')} />}
      </Reading>
    </>
  );
}

function Steps({ keys }: { keys: readonly KeyRow[] }) {
  const [issued, setIssued] = useIssued();
  const [chosen, choose] = useState<string | null>(null);
  const [typed, type] = useState('');
  const key = keys.find(({ id }) => id === (issued?.key.id ?? chosen)) ?? keys[0];
  return (
    <ol className={classes.steps}>
      <Step title="Create a sandbox key">
        <SandboxKey
          keys={keys}
          of={key}
          onChoose={choose}
          issued={issued}
          onIssued={setIssued}
          secret={typed}
          onSecret={type}
        />
      </Step>
      <Step title="Get access to a client">
        <FirstClient of={key} />
      </Step>
      <Step title="Make the first call">
        <FirstCall of={key} secret={issued?.secret ?? typed.trim()} />
      </Step>
      <Step title="Next steps">
        <p>
          Keep a copy up to date with delta sync (<code>updated_since</code>), read values and papers along with{' '}
          <code>include=valuations,documents</code>, and watch your calls under{' '}
          <TextLink href="/activity">Activity</TextLink>. Every endpoint, field and error is in the{' '}
          <Anchor href="/docs" underline="always">
            API reference
          </Anchor>
          .
        </p>
      </Step>
    </ol>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li>
      <h2 className={classes.title}>{title}</h2>
      {children}
    </li>
  );
}

function FirstCall({ of: key, secret }: { of: KeyRow | undefined; secret: string }) {
  const viewer = useViewer();
  const client = useFirstClient(key?.id).data?.nodes[0];
  const place = key === undefined ? 'sk_test_…' : `${key.prefix}…${key.lastFour}`;
  const command = curlOf(
    apiBaseUrl(viewer),
    viewer.apiVersion,
    secret === '' ? place : secret,
    client?.clientId ?? undefined,
  );
  return (
    <>
      <p>
        It lists {client === undefined ? 'the client’s items' : withNames`the items of ${client.clientName}`}, as far as
        they are granted.
      </p>
      <CopyBlock value={command} label="first request" />
      {client !== undefined &&
        client.clientId !== null &&
        (secret === '' ? (
          <Text size="sm" mt="xs">
            To try it from this page, enter the secret of the key above, or create another.
          </Text>
        ) : (
          <TryIt
            key={`${secret} ${client.clientId}`}
            version={viewer.apiVersion}
            secret={secret}
            clientId={client.clientId}
          />
        ))}
      <Dimmed mt="xs">
        The version is the date of the API that you build against: your integration keeps working while the API changes.
      </Dimmed>
    </>
  );
}
