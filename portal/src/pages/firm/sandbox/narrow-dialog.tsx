// Firm: narrows a request or grant, on behalf of the test client.
import { Stack } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../../../components/confirm.tsx';
import { ScopePicker } from '../../../components/grants/scopes.tsx';
import { type FilterDraft, FilterField, filterFault, filterInput } from '../grants/filter-field.tsx';
import { type GrantToActOn, useActAsTestClient } from './use-test-clients.ts';

interface NarrowDialogProps {
  of: GrantToActOn;
  onClose: () => void;
  onDone: () => void;
}

/** Starts with the minimum, the first scope. */
export function NarrowDialog({ of: grant, onClose, onDone }: NarrowDialogProps) {
  const pending = grant.status === 'pending';
  const [scopes, setScopes] = useState<string[]>(grant.scopes.slice(0, 1));
  const [filter, setFilter] = useState<FilterDraft>(draftOf(grant));
  const [tried, setTried] = useState(false);
  const action = useActAsTestClient(() => {
    onDone();
    onClose();
  });
  const faults = { scopes: scopes.length === 0 ? 'Choose at least one scope.' : null, filter: filterFault(filter) };
  const send = () => {
    setTried(true);
    if (faults.scopes !== null || faults.filter !== null) return;
    action.start({ id: grant.id, step: pending ? 'approve' : 'change', scopes, filter: filterInput(filter) });
  };
  return (
    <Confirm
      opened
      onClose={onClose}
      title={pending ? 'Approve less than was asked for' : 'Narrow what the test client granted'}
      confirm={pending ? 'Approve less' : 'Narrow'}
      destructive={false}
      onConfirm={send}
      action={action}
      about={[scopes, filter]}
    >
      <Stack gap="lg">
        <ScopePicker
          label="Scopes"
          value={scopes}
          onChange={setScopes}
          of={grant.scopes}
          otherwise={pending ? 'It was not asked for' : 'It is not granted'}
          error={tried ? faults.scopes : null}
        />
        <FilterField value={filter} onChange={setFilter} error={tried ? faults.filter : null} />
      </Stack>
    </Confirm>
  );
}

function draftOf({ filter: { type, categories } }: GrantToActOn): FilterDraft {
  const chosen = type === 'category' ? (categories ?? []).map(({ code }) => code) : [];
  return { type: type === 'category' ? 'category' : 'all', categories: chosen, items: '', collection: '' };
}
