// Firm: narrows a request or grant, on behalf of the test client.
import { Stack } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../../../components/confirm.tsx';
import { useFocusBack } from '../../../components/focus.ts';
import { filterText } from '../../../components/grants/grant-filter.ts';
import { ScopePicker } from '../../../components/grants/scopes.tsx';
import { isSame } from '../../../components/same.ts';
import { type FilterDraft, FilterField, filterFault, filterInput } from '../grants/filter-field.tsx';
import { type GrantToActOn, useActAsTestClient } from './use-test-clients.ts';

interface NarrowDialogProps {
  of: GrantToActOn;
  onClose: () => void;
  onDone: () => void;
}

/** Starts with the minimum, the first scope, and with the present items, which stay if they are not changed. */
export function NarrowDialog({ of: grant, onClose, onDone }: NarrowDialogProps) {
  useFocusBack();
  const pending = grant.status === 'pending';
  const [scopes, setScopes] = useState<string[]>(grant.scopes.slice(0, 1));
  const [present] = useState(() => draftOf(grant));
  const [filter, setFilter] = useState(present);
  const unchanged = isSame(filter, present);
  const [tried, setTried] = useState(false);
  const action = useActAsTestClient(() => {
    onDone();
    onClose();
  });
  const faults = {
    scopes: scopes.length === 0 ? 'Choose at least one scope.' : null,
    filter: unchanged ? null : filterFault(filter),
  };
  const send = () => {
    setTried(true);
    if (faults.scopes !== null || faults.filter !== null) return;
    const changed = unchanged ? {} : { filter: filterInput(filter) };
    action.start({ id: grant.id, step: pending ? 'approve' : 'change', scopes, ...changed });
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
          otherwise={pending ? 'It was not asked for.' : 'It is not granted.'}
          error={tried ? faults.scopes : null}
        />
        <FilterField
          value={filter}
          onChange={setFilter}
          error={tried ? faults.filter : null}
          unnamed={filter.type === present.type && filterFault(present) !== null ? filterText(grant.filter) : undefined}
        />
      </Stack>
    </Confirm>
  );
}

/** The names of items are not read, since there may be 10,000, and that of a collection may be hidden. */
function draftOf({ filter: { type, categories, collection } }: GrantToActOn): FilterDraft {
  return {
    type: type as FilterDraft['type'],
    categories: categories?.map(({ code }) => code) ?? [],
    items: '',
    collection: collection?.id ?? '',
  };
}
