// Client: approves a request, as it is or narrowed.
import { Group, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ActionButton } from '../../../components/action-button.tsx';
import { FirmFacts } from '../../../components/firm-identity.tsx';
import { withNames } from '../../../components/names.ts';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { ApproveGrant, type ClientGrantDetailQuery } from '../../../generated/operations.ts';
import { useAction } from '../../../graphql/use-action.ts';
import { changesBetween, draftOf, isUnchanged } from '../terms/draft.ts';
import { DraftSummary } from '../terms/draft-words.tsx';
import { TermsFields } from '../terms/terms-fields.tsx';
import { useDraft } from '../terms/use-draft.ts';
import { Part, WithPreview } from '../with-preview.tsx';
import { DeclineButton } from './end-grant.tsx';
import { hasTerms } from './find-outcome.ts';
import classes from './grant.module.css';

export function AnswerRequest({ grant }: { grant: ClientGrantDetailQuery['body'] }) {
  const [requested] = useState(() => draftOf(grant));
  const { draft, setDraft, faults, attempt } = useDraft(requested);
  const changes = useMemo(() => changesBetween(requested, draft), [requested, draft]);
  const approve = useAction(ApproveGrant, {
    lookUp: hasTerms(draft),
    done: ({ firmName }) => withNames`${firmName} can now see what you approved.`,
  });
  const submit = () => attempt(() => approve.start({ id: grant.id, ...changes }));
  const { expiresAt: _, ...shown } = changes;
  return (
    <WithPreview of={{ grantId: grant.id }} draft={isUnchanged(shown) ? null : draft}>
      <Part title="Who they are">
        <FirmFacts of={grant.firmIdentity} />
      </Part>
      {grant.purpose !== null && (
        <Part title="What they say it is for">
          <Text size="sm" className={classes.purpose} dir="auto" mb="xl">
            {grant.purpose}
          </Text>
        </Part>
      )}
      <TermsFields
        draft={draft}
        onChange={setDraft}
        faults={faults}
        scopes={grant.scopes}
        otherwise="They did not ask for it."
        latest={grant.expiresAt}
        within={grant.filter}
        given={grant.filter}
      />
      <div className={classes.decision}>
        <DraftSummary draft={draft} keyScopes={grant.keyScopes} />
        <ActionFault of={approve} about={draft} />
        <Group gap="sm">
          <ActionButton onClick={submit} busy={approve.isPending}>
            {isUnchanged(changes) ? 'Approve as asked' : 'Approve with these limits'}
          </ActionButton>
          <DeclineButton grant={grant} />
        </Group>
      </div>
    </WithPreview>
  );
}
