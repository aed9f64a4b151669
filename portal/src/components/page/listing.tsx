// Components: a list read page by page: loading, failed, loaded, or still that of the previous filters; and its next
// page.
import { Group, Loader } from '@mantine/core';
import { useDidUpdate } from '@mantine/hooks';
import { type ReactNode, useRef } from 'react';
import type { PagesReading } from '../../graphql/hooks.ts';
import { ActionButton } from '../action-button.tsx';
import { Dimmed } from '../dimmed.tsx';
import { Settling } from './settling.tsx';
import { Failure, TableSkeleton } from './states.tsx';

interface ListingProps<Row> {
  of: PagesReading<Row>;
  /** Number of placeholder rows before the first result. */
  skeletonRows?: number;
  /** Whether other filters are chosen, but not requested yet. */
  waiting?: boolean;
  /** The label of the button for the next page; absent if the list loads it automatically. */
  more?: string;
  /** Text below the last row. */
  end?: string;
  children: (rows: readonly Row[], total: number) => ReactNode;
}

export function Listing<Row>({ of, skeletonRows, waiting = false, more, end, children }: ListingProps<Row>) {
  const { rows, total, error, refetch, isPlaceholderData, next } = of;
  if (rows !== null)
    return (
      <Settling busy={waiting || isPlaceholderData}>
        {(rows.length > 0 || !next.exists) && children(rows, total ?? rows.length)}
        <End of={next} more={more} end={rows.length === 0 ? undefined : end} />
      </Settling>
    );
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  return <TableSkeleton {...(skeletonRows === undefined ? {} : { rows: skeletonRows })} />;
}

interface EndProps {
  of: PagesReading<unknown>['next'];
  more: string | undefined;
  end: string | undefined;
}

function End({ of: { exists, isReading, error, read }, more, end }: EndProps) {
  const text = useRef<HTMLDivElement>(null);
  const pressed = useRef(false);
  // After the last page the text replaces the button, which would lose the focus.
  useDidUpdate(() => {
    if (pressed.current && document.activeElement === document.body) text.current?.focus({ preventScroll: true });
    pressed.current = false;
  }, [exists]);
  const press = () => {
    pressed.current = true;
    read();
  };
  if (error !== null)
    return (
      <Group mt="lg">
        <Failure error={error} retry={read} />
      </Group>
    );
  if (exists && more !== undefined)
    return (
      <Group justify="center" mt="lg">
        <ActionButton variant="default" busy={isReading} onClick={press}>
          {more}
        </ActionButton>
      </Group>
    );
  if (!exists && end === undefined) return null;
  return (
    <Dimmed ref={text} tabIndex={-1} ta="center" py="lg" component="div">
      {exists ? <Loader size="sm" role="status" aria-label="Loading more" /> : end}
    </Dimmed>
  );
}
