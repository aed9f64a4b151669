// Client: chooses all items that a list shows.
import { notifications } from '@mantine/notifications';
import { useLayoutEffect, useRef, useState } from 'react';
import { MAX_FILTER_ITEMS } from '#core/filter-size.ts';
import { ActionButton } from '../../../components/action-button.tsx';
import { countText } from '../../../components/numbers.tsx';
import { OwnItemIds } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import type { ItemQuery } from './item-rows.ts';

interface ChooseAllProps {
  query: ItemQuery;
  chosen: ReadonlySet<string>;
  /** Number of items in the list. */
  total: number;
  onFound: (registryIds: readonly string[]) => void;
}

/** At most as many as a grant can name. */
export function ChooseAll({ query, chosen, total, onFound }: ChooseAllProps) {
  const [busy, setBusy] = useState(false);
  const reading = useRef<AbortController>(null);
  // A later choice, of items, another list or another type, counts instead.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are what the choice was made from.
  useLayoutEffect(
    () => () => {
      reading.current?.abort();
      setBusy(false);
    },
    [query, chosen],
  );
  const choose = async () => {
    const controller = new AbortController();
    reading.current = controller;
    setBusy(true);
    const { signal } = controller;
    const found = await readIds(query, signal).catch(() => null);
    if (signal.aborted) return;
    setBusy(false);
    if (found === null) notifications.show({ color: 'red', message: 'The items could not be read; try again.' });
    else onFound(found);
  };
  return (
    <ActionButton variant="default" size="compact-sm" busy={busy} disabled={total === 0} onClick={() => void choose()}>
      Choose all {countText(Math.min(total, MAX_FILTER_ITEMS))}
    </ActionButton>
  );
}

async function readIds({ registryIds, ...query }: ItemQuery, signal: AbortSignal): Promise<string[]> {
  const found = await call(OwnItemIds, query, { signal });
  if (registryIds === undefined) return found;
  const possible = new Set(registryIds);
  return found.filter((registryId) => possible.has(registryId));
}
