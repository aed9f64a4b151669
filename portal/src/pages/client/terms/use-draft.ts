// Client: a draft in a form, which shows errors after the first attempt to grant it.
import { useMemo, useState } from 'react';
import { toFirstFault } from '../../../components/first-fault.ts';
import { useDraftGuard, useStoredDraft } from '../../../session/drafts.ts';
import { announce } from '../../../shell/announcer.tsx';
import { changesBetween, type Draft, type DraftFaults, faultsOf, isUnchanged } from './draft.ts';

interface Begun {
  draft: Draft;
  /**
   * The original draft, and the grant's newest event at that time. A restored draft has those from when it was started.
   */
  start: Draft;
  basedOn: string | null;
}

export function useDraft(initial: Draft, lastEventId: string | null = null) {
  const [begun] = useState(useStoredDraft<Begun>('terms') ?? { draft: initial, start: initial, basedOn: lastEventId });
  const { start, basedOn } = begun;
  const [draft, setDraft] = useState(begun.draft);
  const changed = useMemo(() => !isUnchanged(changesBetween(start, draft)), [start, draft]);
  const release = useDraftGuard({ name: 'terms', values: { draft, start, basedOn } satisfies Begun, changed });
  const [tried, setTried] = useState(false);
  const faults: DraftFaults = tried ? faultsOf(draft) : {};
  /** Calls `go` if there are no errors. */
  const attempt = (go: () => void) => {
    const [fault] = Object.values(faultsOf(draft));
    setTried(true);
    if (fault === undefined) go();
    else {
      announce(fault);
      toFirstFault();
    }
  };
  return { draft, setDraft, start, basedOn, faults, attempt, release };
}
