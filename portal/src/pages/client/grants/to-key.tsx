// Client: gives a grant to a key: the firm's details, the terms, and a preview.
import { Alert, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Dimmed } from '../../../components/dimmed.tsx';
import { FirmFacts } from '../../../components/firm-identity.tsx';
import { FormEnd } from '../../../components/form-end.tsx';
import { withNames } from '../../../components/names.ts';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { Notice } from '../../../components/page/notice.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { ClientGrantDetail, GiveGrant, KeySummary, type KeySummaryQuery } from '../../../generated/operations.ts';
import { find } from '../../../graphql/find.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { newId } from '../../../graphql/new-id.ts';
import { useAction } from '../../../graphql/use-action.ts';
import { FirmMark } from '../firm-mark.tsx';
import { type Draft, EVERYTHING, filterInput } from '../terms/draft.ts';
import { DraftSummary } from '../terms/draft-words.tsx';
import { TermsFields } from '../terms/terms-fields.tsx';
import { useDraft } from '../terms/use-draft.ts';
import { WithPreview } from '../with-preview.tsx';
import classes from './grant.module.css';

/** The initial values of the form. */
export interface Suggestion {
  /** Scopes that the key lacks are ignored. */
  scopes: readonly string[];
  expiresAt: string | null;
}

const LITTLE: Suggestion = { scopes: ['registry'], expiresAt: null };

interface ToKeyProps {
  keyId: string;
  suggestion?: Suggestion;
  /** Shown if the key does not exist, or this client cannot use it. */
  missing: string;
}

export function ToKey({ keyId, suggestion = LITTLE, missing }: ToKeyProps) {
  const reading = useRead(KeySummary, { keyId });
  return (
    <Reading
      key={keyId}
      of={reading}
      skeleton={<BlockSkeleton lines={5} />}
      missing={
        <Alert variant="default" icon={<IconInfoCircle aria-hidden />} maw="38rem" role="alert">
          {missing}
        </Alert>
      }
    >
      {(summary) => <GiveTo summary={summary} suggestion={suggestion} />}
    </Reading>
  );
}

interface Given {
  summary: KeySummaryQuery['body'];
  suggestion: Suggestion;
}

function GiveTo({ summary, suggestion }: Given) {
  // The form stays, with what was filled in, if a request or a grant comes meanwhile.
  const [gives] = useState(existingOf(summary) === null);
  return (
    <>
      <div className={classes.card}>
        <FirmMark name={summary.firmName} />
        <div>
          <Text fw={600} className="breakable">
            <bdi>{summary.firmName}</bdi>
          </Text>
          <Dimmed className="breakable">
            <bdi>{summary.name}</bdi>
          </Dimmed>
        </div>
      </div>
      <div className={classes.identity}>
        <FirmFacts of={summary.firmIdentity} />
      </div>
      {gives ? <GiveForm summary={summary} suggestion={suggestion} /> : <Existing summary={summary} />}
    </>
  );
}

const existingOf = ({ activeGrantId, pendingGrantId }: Given['summary']): string | null =>
  activeGrantId ?? pendingGrantId;

function Existing({ summary }: Pick<Given, 'summary'>) {
  const asks = summary.activeGrantId === null;
  return (
    <Text inherit>
      {asks ? 'It asks for access already. ' : 'It has access already. '}
      <TextLink href={`/connected/${existingOf(summary)}`} inherit>
        {asks ? 'Answer the request' : 'See or change it'}
      </TextLink>
    </Text>
  );
}

function GiveForm({ summary, suggestion }: Given) {
  const [, navigate] = useLocation();
  const [start] = useState<Draft>(() => ({
    scopes: suggested(summary.scopes, suggestion.scopes),
    items: EVERYTHING,
    expiresAt: suggestion.expiresAt,
  }));
  const { draft, setDraft, faults, attempt, release } = useDraft(start);
  const give = useAction(GiveGrant, {
    lookUp: ({ id }) => find(ClientGrantDetail, { id: id ?? '' }),
    done: ({ firmName }) => withNames`${firmName} can now see what you gave.`,
    onDone: ({ id }) => {
      release();
      navigate(`/connected/${id}`, { replace: true });
    },
  });
  const submit = () =>
    attempt(() =>
      give.start({
        id: newId('grt'),
        keyId: summary.keyId,
        scopes: [...draft.scopes],
        filter: filterInput(draft.items),
        expiresAt: draft.expiresAt,
      }),
    );
  return (
    <WithPreview of={{ keyId: summary.keyId }} draft={draft}>
      <TermsFields
        draft={draft}
        onChange={setDraft}
        faults={faults}
        scopes={summary.scopes}
        otherwise="The key cannot read this."
      />
      <div className={classes.decision}>
        <DraftSummary draft={draft} keyScopes={summary.scopes} />
        {existingOf(summary) !== null && !give.isPending && (
          <Notice tone="warn" title="Changed meanwhile" alert>
            <Existing summary={summary} />
          </Notice>
        )}
        <ActionFault of={give} about={draft} />
        <FormEnd send="Give access" onSend={submit} action={give} onCancel={release} to="/connected" />
      </div>
    </WithPreview>
  );
}

/** The suggested scopes that the key has, or else the few that most firms need. */
function suggested(possible: readonly string[], wanted: readonly string[]): string[] {
  const both = possible.filter((scope) => wanted.includes(scope));
  return both.length > 0 ? both : possible.filter((scope) => LITTLE.scopes.includes(scope));
}
