// Client: a list of items with checkboxes, of any length: only visible rows are rendered.
import { Skeleton } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, memo, useEffect, useId, useRef, useState } from 'react';
import classes from './item-picker.module.css';
import type { OwnItem, View } from './item-rows.ts';

/** Height of a row (item-picker.module.css). */
const ROW_REM = 3;

/** Converts `rem` to pixels at the page's text size, which the browser's settings decide. */
const pixels = (rem: number): number => rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

interface ItemListProps {
  total: number;
  /** Undefined while it is loading, null if that failed. */
  at: (index: number) => OwnItem | null | undefined;
  chosen: ReadonlySet<string>;
  onToggle: (item: OwnItem) => void;
  onView: (view: View) => void;
  /** Category code → name. */
  categoryName: (code: string) => string;
  /** Whether a newer list is loading. */
  waiting: boolean;
}

export function ItemList({ total, at, chosen, onToggle, onView, categoryName, waiting }: ItemListProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => box.current,
    estimateSize: () => pixels(ROW_REM),
    overscan: 6,
  });
  const rows = virtual.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => onView({ first, last }), [first, last, onView]);
  const current = Math.min(active, Math.max(0, total - 1));
  // Scrolling may take it out of view, and then out of the page.
  const rendered = rows.some(({ index }) => index === current);
  const go = (index: number) => {
    const next = Math.max(0, Math.min(total - 1, index));
    setActive(next);
    virtual.scrollToIndex(next);
  };
  const toggle = (index: number) => {
    const item = at(index);
    setActive(index);
    if (item) onToggle(item);
  };
  const onClick = ({ target }: MouseEvent) => {
    const row = (target as Element).closest<HTMLElement>('[data-index]');
    if (row !== null) toggle(Number(row.dataset.index));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = STEPS[event.key]?.(current, total);
    if (to !== undefined) go(to);
    else if (event.key === ' ' || event.key === 'Enter') toggle(current);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={box}
      role="listbox"
      aria-label="Your items"
      aria-multiselectable
      aria-busy={waiting}
      aria-activedescendant={rendered ? `${id}-${current}` : undefined}
      tabIndex={0}
      className={classes.list}
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" className={classes.length} style={{ height: virtual.getTotalSize() }}>
        {rows.map(({ index, start }) => (
          <ItemRow
            key={index}
            id={`${id}-${index}`}
            index={index}
            top={start}
            total={total}
            item={at(index)}
            on={chosen.has(at(index)?.registryId ?? '')}
            active={index === current}
            category={categoryName(at(index)?.category ?? '')}
          />
        ))}
      </div>
    </div>
  );
}

/** The target row of each key, in a list of `total` rows. */
const STEPS: Record<string, (index: number, total: number) => number> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  PageDown: (index) => index + 7,
  PageUp: (index) => index - 7,
  Home: () => 0,
  End: (_, total) => total - 1,
};

interface ItemRowProps {
  id: string;
  index: number;
  top: number;
  total: number;
  item: OwnItem | null | undefined;
  on: boolean;
  active: boolean;
  category: string;
}

/** The list handles clicks and keys. */
const ItemRow = memo(function ItemRow({ id, index, top, total, item, on, active, category }: ItemRowProps) {
  return (
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={on}
      aria-setsize={total}
      aria-posinset={index + 1}
      data-index={index}
      data-active={active || undefined}
      className={classes.item}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span className={classes.box} aria-hidden>
        {on && <IconCheck size={13} stroke={3} />}
      </span>
      {item === undefined ? (
        <Skeleton height={12} width="55%" aria-label="Loading…" role="img" />
      ) : item === null ? (
        <span className={classes.category}>Could not be loaded</span>
      ) : (
        <>
          <span className={classes.title} dir="auto">
            {item.title}
          </span>
          <span className={classes.category}>{category}</span>
        </>
      )}
    </div>
  );
});
