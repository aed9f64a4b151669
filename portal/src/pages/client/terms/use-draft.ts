// Client: a draft in a form: faults are shown once somebody tried to give it.
import { useMemo, useState } from 'react';
import { toFirstFault } from '../../../components/first-fault.ts';
import { useDraftGuard, useKept } from '../../../session/drafts.ts';
import { announce } from '../../../shell/announcer.tsx';
import { changesBetween, type Draft, type DraftFaults, faultsOf, isUnchanged } from './draft.ts';

interface Begun {
  draft: Draft;
  /** What the draft began as, and the event after which that stood: a draft that was kept has those of when it was begun. */
  start: Draft;
  basedOn: string | null;
}

export function useDraft(standing: Draft, lastEventId: string | null = null) {
  const [begun] = useState(useKept<Begun>('terms') ?? { draft: standing, start: standing, basedOn: lastEventId });
  const { start, basedOn } = begun;
  const [draft, setDraft] = useState(begun.draft);
  const changed = useMemo(() => !isUnchanged(changesBetween(start, draft)), [start, draft]);
  const release = useDraftGuard({ name: 'terms', values: { draft, start, basedOn } satisfies Begun, changed });
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
  return { draft, setDraft, start, basedOn, faults, attempt, release };
}
