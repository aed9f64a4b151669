// Client: a draft in a form: faults are shown once somebody tried to give it.
import { useMemo, useState } from 'react';
import { toFirstFault } from '../../../components/first-fault.ts';
import { useDraftGuard, useKept } from '../../../session/drafts.ts';
import { announce } from '../../../shell/announcer.tsx';
import { changesBetween, type Draft, type DraftFaults, faultsOf, isUnchanged } from './draft.ts';

export function useDraft(start: Draft) {
  const [draft, setDraft] = useState(useKept<Draft>('terms') ?? start);
  const changed = useMemo(() => !isUnchanged(changesBetween(start, draft)), [start, draft]);
  const release = useDraftGuard({ name: 'terms', values: draft, changed });
  const [tried, setTried] = useState(false);
  const faults: DraftFaults = tried ? faultsOf(draft) : {};
  /** Goes on where nothing is wrong. */
  const attempt = (go: () => void) => {
    const [fault] = Object.values(faultsOf(draft));
    setTried(true);
    if (fault === undefined) go();
    else {
      announce(fault);
      toFirstFault();
    }
  };
  return { draft, setDraft, faults, attempt, release };
}
