// Client: chooses all items that a list shows.
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { ActionButton } from '../../../components/action-button.tsx';
import { countText } from '../../../components/numbers.tsx';
import { OwnItemIds } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { MAX_ITEMS } from './draft.ts';
import type { ItemQuery } from './item-rows.ts';

interface ChooseAllProps {
  query: ItemQuery;
  /** Number of items in the list. */
  total: number;
  onFound: (registryIds: readonly string[]) => void;
}

/** At most as many as a grant can name. */
export function ChooseAll({ query, total, onFound }: ChooseAllProps) {
  const [busy, setBusy] = useState(false);
  const choose = async () => {
    setBusy(true);
    try {
      onFound(await readIds(query));
    } catch {
      notifications.show({ color: 'red', message: 'The items could not be read; try again.' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <ActionButton variant="default" size="compact-sm" busy={busy} disabled={total === 0} onClick={() => void choose()}>
      Choose all {countText(Math.min(total, MAX_ITEMS))}
    </ActionButton>
  );
}

async function readIds({ search, categories, collection, registryIds }: ItemQuery): Promise<string[]> {
  const found = await call(OwnItemIds, {
    ...(search === undefined ? {} : { search }),
    ...(categories === undefined ? {} : { categories }),
    ...(collection === undefined ? {} : { collection }),
  });
  if (registryIds === undefined) return found;
  const possible = new Set(registryIds);
  return found.filter((registryId) => possible.has(registryId));
}
