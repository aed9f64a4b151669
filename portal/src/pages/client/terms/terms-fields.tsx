// Client: the fields of a draft: scopes, items and end.
import { Stack } from '@mantine/core';
import { type Dispatch, memo, type SetStateAction, useCallback } from 'react';
import { ExpiryPicker } from '../../../components/expiry-picker.tsx';
import { ScopePicker } from '../../../components/grants/scopes.tsx';
import { CLIENT_WORDS } from '../plain-words.ts';
import type { Draft, DraftFaults, GivenFilter, ItemsDraft } from './draft.ts';
import { ItemChoice } from './item-choice.tsx';

interface TermsFieldsProps {
  draft: Draft;
  onChange: Dispatch<SetStateAction<Draft>>;
  faults: DraftFaults;
  /** Scopes that can be given. */
  scopes: readonly string[];
  /** Why the others cannot be given. */
  otherwise: string;
  /** Others that were given before, and can be taken back. */
  givenScopes?: readonly string[];
  /** For a request: the end that an approval cannot exceed. */
  latest?: string | null;
  /** For a request: the filter that an approval must stay within. */
  within?: GivenFilter;
  /** The present filter. */
  given?: GivenFilter;
}

// Not rendered again when an item is chosen in a long list.
const Scopes = memo(ScopePicker);
const Expiry = memo(ExpiryPicker);

export function TermsFields(props: TermsFieldsProps) {
  const { draft, onChange, faults, scopes, otherwise, givenScopes, latest = null, within = null, given = null } = props;
  const setScopes = useCallback((chosen: string[]) => onChange((now) => ({ ...now, scopes: chosen })), [onChange]);
  const setItems = useCallback((items: ItemsDraft) => onChange((now) => ({ ...now, items })), [onChange]);
  const setEnd = useCallback((at: string | null) => onChange((now) => ({ ...now, expiresAt: at })), [onChange]);
  return (
    <Stack gap="xl">
      <Scopes
        label="What they see of each item"
        value={draft.scopes}
        onChange={setScopes}
        of={scopes}
        otherwise={otherwise}
        given={givenScopes}
        words={CLIENT_WORDS}
        error={faults.scopes}
      />
      <ItemChoice value={draft.items} onChange={setItems} within={within} given={given} error={faults.items} />
      <Expiry
        label="Until when"
        never="Until I revoke it"
        value={draft.expiresAt}
        onChange={setEnd}
        latest={latest}
        error={faults.expiresAt}
      />
    </Stack>
  );
}
