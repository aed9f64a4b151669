// Client: the chosen items, independent of the list beside them.
import { Button, Group, Pill, Text } from '@mantine/core';
import { useMemo, useRef } from 'react';
import { Dimmed } from '../../../components/dimmed.tsx';
import { countOf } from '../../../components/numbers.tsx';
import { OwnItems } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import classes from './item-picker.module.css';

/** More pills would push the list out of view. */
const SHOWN = 4;

interface ChosenItemsProps {
  chosen: ReadonlySet<string>;
  /** Registry id → title, if known. */
  titles: ReadonlyMap<string, string>;
  onRemove: (registryId: string) => void;
  onClear: () => void;
}

/** Latest first. */
export function ChosenItems({ chosen, titles, onRemove, onClear }: ChosenItemsProps) {
  const shown = useMemo(() => [...chosen].slice(-SHOWN).reverse(), [chosen]);
  const unknown = shown.filter((registryId) => !titles.has(registryId));
  const count = useRef<HTMLParagraphElement>(null);
  // The buttons disappear with what they remove.
  const remove = (registryId: string) => {
    count.current?.focus();
    onRemove(registryId);
  };
  const clear = () => {
    count.current?.focus();
    onClear();
  };
  const { data } = useRead(
    OwnItems,
    { registryIds: unknown, first: SHOWN },
    { enabled: unknown.length > 0, keepPrevious: true },
  );
  const titleOf = (registryId: string) =>
    titles.get(registryId) ?? data?.nodes.find((item) => item.registryId === registryId)?.title ?? registryId;
  return (
    <div className={classes.chosen}>
      <Group justify="space-between" mih={30}>
        <Text ref={count} tabIndex={-1} size="sm" fw={500} aria-live="polite">
          {chosen.size === 0 ? 'No item chosen yet' : `${countOf(chosen.size, 'item')} chosen`}
        </Text>
        {chosen.size > 0 && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={clear}>
            Choose none
          </Button>
        )}
      </Group>
      {shown.length > 0 && (
        <ul className={classes.pills} aria-label="Chosen items">
          {shown.map((registryId) => (
            <li key={registryId}>
              <Pill
                withRemoveButton
                removeButtonProps={{ 'aria-label': `Remove ${titleOf(registryId)}`, 'aria-hidden': false, tabIndex: 0 }}
                onRemove={() => remove(registryId)}
                classNames={{ root: classes.pill, label: classes.pillLabel }}
              >
                {titleOf(registryId)}
              </Pill>
            </li>
          ))}
          {chosen.size > SHOWN && <Dimmed component="li">and {countOf(chosen.size - SHOWN, 'more', 'more')}</Dimmed>}
        </ul>
      )}
    </div>
  );
}
