// Client: giving access unasked, to a key whose id a firm has told.
import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { BlockSkeleton, Failure } from '../../../components/page/states.tsx';
import { GiveGrant, KeyCard } from '../../../generated/operations.ts';
import { useRead, useStep } from '../../../graphql/hooks.ts';
import type { BodyOf } from '../../../graphql/operation.ts';
import { FirmMark } from '../firm-mark.tsx';
import { PreviewPanel } from '../preview/preview-panel.tsx';
import { Part, Split } from '../split.tsx';
import { type Draft, EVERYTHING, filterInput } from '../terms/draft.ts';
import { DraftWords } from '../terms/draft-words.tsx';
import { TermsFields } from '../terms/terms-fields.tsx';
import { useDraft } from '../terms/use-draft.ts';
import { FindKey, KEY_ID } from './find-key.tsx';
import classes from './grant.module.css';
import { TOUCHED } from './steps.ts';

export default function GivePage() {
  const [parameters, setParameters] = useSearchParams();
  const keyId = parameters.get('key') ?? '';
  return (
    <>
      <PageHeader
        title="Give access"
        back={{ to: '/connected', label: 'Connected apps' }}
        lead="A firm tells you the id of its key. You decide what it sees; it can read nothing before."
      />
      <FindKey key={keyId} keyId={keyId} onFind={(key) => setParameters({ key }, { replace: true })} />
      {KEY_ID.test(keyId) && <Found keyId={keyId} />}
    </>
  );
}

function Found({ keyId }: { keyId: string }) {
  const { data, error, refetch } = useRead(KeyCard, { keyId });
  if (data !== undefined) return <GiveTo key={keyId} card={data} />;
  if (error === null) return <BlockSkeleton lines={5} />;
  if (error.code !== 'resource_not_found') return <Failure error={error} retry={() => void refetch()} />;
  return (
    <Alert variant="default" icon={<IconInfoCircle aria-hidden />} maw="38rem" role="alert">
      There is no key with this id, or it can no longer be used. Ask the firm to send it again.
    </Alert>
  );
}

function GiveTo({ card }: { card: BodyOf<typeof KeyCard> }) {
  const existing = card.activeGrantId ?? card.pendingGrantId;
  return (
    <>
      <div className={classes.card}>
        <FirmMark name={card.firmName} />
        <div>
          <Text fw={600} className="breakable">
            {card.firmName}
          </Text>
          <Text size="sm" c="dimmed" className="breakable">
            {card.name}
          </Text>
        </div>
      </div>
      {existing === null ? (
        <GiveForm card={card} />
      ) : (
        <Text>
          {card.activeGrantId === null ? 'It asks for access already. ' : 'It has access already. '}
          <Anchor component={Link} href={`/connected/${existing}`}>
            {card.activeGrantId === null ? 'Answer the request' : 'See or change it'}
          </Anchor>
        </Text>
      )}
    </>
  );
}

function GiveForm({ card }: { card: BodyOf<typeof KeyCard> }) {
  const [, navigate] = useLocation();
  const [start] = useState<Draft>(() => ({
    scopes: card.scopes.filter((scope) => scope === 'registry'),
    items: EVERYTHING,
    expiresAt: null,
  }));
  const { draft, setDraft, faults, attempt } = useDraft(start);
  const give = useStep(GiveGrant, {
    touches: TOUCHED,
    onDone: ({ id, firmName }) => {
      notifications.show({ message: `${firmName} can now see what you gave.` });
      navigate(`/connected/${id}`, { replace: true });
    },
  });
  const submit = () =>
    attempt(() =>
      give.mutate({
        keyId: card.keyId,
        scopes: [...draft.scopes],
        filter: filterInput(draft.items),
        expiresAt: draft.expiresAt,
      }),
    );
  return (
    <Split
      aside={
        <Part title="Preview as partner" lead="What the API would answer this key, to the byte.">
          <PreviewPanel of={{ keyId: card.keyId }} draft={draft} />
        </Part>
      }
    >
      <TermsFields
        draft={draft}
        onChange={setDraft}
        faults={faults}
        scopes={card.scopes}
        otherwise="The key does not have this scope."
      />
      <div className={classes.decision}>
        <DraftWords draft={draft} keyScopes={card.scopes} />
        {give.error && <Failure error={give.error} />}
        <Group gap="sm" mt="md">
          <Button onClick={submit} loading={give.isPending}>
            Give access
          </Button>
          <Button variant="default" component={Link} href="/connected">
            Cancel
          </Button>
        </Group>
      </div>
    </Split>
  );
}
