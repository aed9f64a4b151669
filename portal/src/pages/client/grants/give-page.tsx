// Client: giving access unasked, to a key whose id a firm has told.
import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { BlockSkeleton, Failure } from '../../../components/page/states.tsx';
import { StepFault } from '../../../components/page/step-fault.tsx';
import { Connection, GiveGrant, KeySummary } from '../../../generated/operations.ts';
import { find } from '../../../graphql/find.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { newId } from '../../../graphql/new-id.ts';
import type { BodyOf } from '../../../graphql/operation.ts';
import { useStep } from '../../../graphql/use-step.ts';
import { mayLeave } from '../../../session/leaving.ts';
import { FirmMark } from '../firm-mark.tsx';
import { PreviewPanel } from '../preview/preview-panel.tsx';
import { Part, Split } from '../split.tsx';
import { type Draft, EVERYTHING, filterInput } from '../terms/draft.ts';
import { DraftWords } from '../terms/draft-words.tsx';
import { TermsFields } from '../terms/terms-fields.tsx';
import { useDraft } from '../terms/use-draft.ts';
import { FindKey, KEY_ID } from './find-key.tsx';
import classes from './grant.module.css';
import { TOUCHED } from './touched.ts';

export default function GivePage() {
  const [parameters, setParameters] = useSearchParams();
  const keyId = parameters.get('key') ?? '';
  // Another key is another form.
  const findOther = async (key: string) => {
    if (key === keyId || (await mayLeave())) setParameters({ key }, { replace: true });
  };
  return (
    <>
      <PageHeader
        title="Give access"
        back={{ to: '/connected', label: 'Connected apps' }}
        lead="A firm tells you the id of its key. You decide what it sees; it can read nothing before."
      />
      <FindKey key={keyId} keyId={keyId} onFind={(key) => void findOther(key)} />
      {KEY_ID.test(keyId) && <Found keyId={keyId} />}
    </>
  );
}

function Found({ keyId }: { keyId: string }) {
  const { data, error, refetch } = useRead(KeySummary, { keyId });
  if (data !== undefined) return <GiveTo key={keyId} summary={data} />;
  if (error === null) return <BlockSkeleton lines={5} />;
  if (error.code !== 'resource_not_found') return <Failure error={error} retry={() => void refetch()} />;
  return (
    <Alert variant="default" icon={<IconInfoCircle aria-hidden />} maw="38rem" role="alert">
      There is no key with this id, or it can no longer be used. Ask the firm to send it again.
    </Alert>
  );
}

function GiveTo({ summary }: { summary: BodyOf<typeof KeySummary> }) {
  const existing = summary.activeGrantId ?? summary.pendingGrantId;
  return (
    <>
      <div className={classes.card}>
        <FirmMark name={summary.firmName} />
        <div>
          <Text fw={600} className="breakable">
            {summary.firmName}
          </Text>
          <Text size="sm" c="dimmed" className="breakable">
            {summary.name}
          </Text>
        </div>
      </div>
      {existing === null ? (
        <GiveForm summary={summary} />
      ) : (
        <Text>
          {summary.activeGrantId === null ? 'It asks for access already. ' : 'It has access already. '}
          <Anchor component={Link} href={`/connected/${existing}`}>
            {summary.activeGrantId === null ? 'Answer the request' : 'See or change it'}
          </Anchor>
        </Text>
      )}
    </>
  );
}

function GiveForm({ summary }: { summary: BodyOf<typeof KeySummary> }) {
  const [, navigate] = useLocation();
  const [start] = useState<Draft>(() => ({
    scopes: summary.scopes.filter((scope) => scope === 'registry'),
    items: EVERYTHING,
    expiresAt: null,
  }));
  const { draft, setDraft, faults, attempt, release } = useDraft(start);
  const give = useStep(GiveGrant, {
    touches: TOUCHED,
    ask: ({ id }) => find(Connection, { id: id ?? '' }),
    onDone: ({ id, firmName }) => {
      notifications.show({ message: `${firmName} can now see what you gave.` });
      release();
      navigate(`/connected/${id}`, { replace: true });
    },
  });
  const submit = () =>
    attempt(() =>
      give.take({
        id: newId('grt'),
        keyId: summary.keyId,
        scopes: [...draft.scopes],
        filter: filterInput(draft.items),
        expiresAt: draft.expiresAt,
      }),
    );
  return (
    <Split
      aside={
        <Part title="Preview as partner" lead="What the API would answer this key, to the byte.">
          <PreviewPanel of={{ keyId: summary.keyId }} draft={draft} />
        </Part>
      }
    >
      <TermsFields
        draft={draft}
        onChange={setDraft}
        faults={faults}
        scopes={summary.scopes}
        otherwise="The key cannot read this."
      />
      <div className={classes.decision}>
        <DraftWords draft={draft} keyScopes={summary.scopes} />
        <StepFault of={give} about={draft} />
        <Group gap="sm" mt="md">
          <Button onClick={submit} loading={give.isPending}>
            Give access
          </Button>
          <Button variant="default" component={Link} href="/connected" onClick={release}>
            Cancel
          </Button>
        </Group>
      </div>
    </Split>
  );
}
