// Client: narrows, widens, prolongs or shortens a grant.
import { useMemo, useState } from 'react';
import { FormEnd } from '../../../components/form-end.tsx';
import { withNames } from '../../../components/names.ts';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { Notice } from '../../../components/page/notice.tsx';
import { ChangeGrant, type ClientGrantDetailQuery } from '../../../generated/operations.ts';
import { useAction } from '../../../graphql/use-action.ts';
import { changesBetween, draftOf, isUnchanged } from '../terms/draft.ts';
import { DraftSummary } from '../terms/draft-words.tsx';
import { TermsFields } from '../terms/terms-fields.tsx';
import { useDraft } from '../terms/use-draft.ts';
import { WithPreview } from '../with-preview.tsx';
import { hasTerms } from './find-outcome.ts';
import classes from './grant.module.css';

interface ChangeGrantProps {
  grant: ClientGrantDetailQuery['body'];
  onDone: () => void;
  /** Starts again from the grant's new state. */
  onRestart: () => void;
}

export function ChangeGrantForm({ grant, onDone, onRestart }: ChangeGrantProps) {
  const [currentTerms] = useState(() => draftOf(grant));
  const { draft, setDraft, start, basedOn, faults, attempt } = useDraft(currentTerms, grant.lastEventId);
  const { expiresAt, ...shown } = useMemo(() => changesBetween(start, draft), [start, draft]);
  const end = expiresAt === undefined ? {} : expiresAt === null ? { noExpiry: true } : { expiresAt };
  const changes = { ...shown, ...end };
  const change = useAction(ChangeGrant, {
    lookUp: hasTerms(draft),
    done: ({ firmName }) => withNames`Changed: it holds for ${firmName} from this moment.`,
    onDone,
  });
  const submit = () => attempt(() => change.start({ id: grant.id, basedOn, ...changes }));
  const stale = grant.lastEventId !== basedOn && !change.isPending;
  return (
    <WithPreview
      of={{ grantId: grant.id }}
      draft={isUnchanged(shown) ? null : draft}
      lead="All that this key could read after the change. “Technical” shows it as the firm’s program would receive it."
    >
      <TermsFields
        draft={draft}
        onChange={setDraft}
        faults={faults}
        scopes={grant.keyScopes}
        otherwise="Their key cannot read this."
        givenScopes={start.scopes}
        given={grant.filter}
      />
      <div className={classes.decision}>
        <DraftSummary draft={draft} keyScopes={grant.keyScopes} />
        {stale ? <ChangedMeanwhile /> : <ActionFault of={change} about={draft} />}
        <FormEnd
          send={stale ? 'Begin again' : 'Save changes'}
          onSend={stale ? onRestart : submit}
          disabled={!stale && isUnchanged(changes)}
          action={change}
          onCancel={onDone}
        />
      </div>
    </WithPreview>
  );
}

const ChangedMeanwhile = () => (
  <Notice tone="warn" title="This access was changed in the meantime" alert>
    Your changes were made to an earlier version and are not saved, because they could give back access that was
    removed. The steps below show what was changed.
  </Notice>
);
