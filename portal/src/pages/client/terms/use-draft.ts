// Client: a draft in a form: faults are shown once somebody tried to give it.
import { useState } from 'react';
import { announce } from '../../../shell/announcer.tsx';
import { type Draft, type DraftFaults, faultsOf } from './draft.ts';

export function useDraft(start: Draft) {
  const [draft, setDraft] = useState(start);
  const [tried, setTried] = useState(false);
  const faults: DraftFaults = tried ? faultsOf(draft) : {};
  /** Goes on where nothing is wrong. */
  const attempt = (go: () => void) => {
    const [fault] = Object.values(faultsOf(draft));
    setTried(true);
    if (fault === undefined) go();
    else announce(fault);
  };
  return { draft, setDraft, faults, attempt };
}
