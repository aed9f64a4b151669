// Components: renders the visible rows of a long table; the page scrolls as if all were there.
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import classes from './data-table.module.css';
import { type Column, TableRow } from './table-row.tsx';

/** Estimated heights in pixels of a row and of a card; each is measured when it becomes visible. */
const ROW = 78;
const CARD = 240;
/** Width in pixels up to which rows are cards (data-table.module.css). */
const CARDS_UP_TO = 832;

export interface RowsProps<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** The property that identifies a row. */
  rowId: keyof Row;
  /** Called when the end of the loaded rows is near. */
  onNearEnd?: (() => void) | undefined;
}

export default function VisibleRows<Row>({ columns, rows, rowId, onNearEnd }: RowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const { offset, width } = usePlaceInPage(body);
  // A new function would make the list measure itself again at every render.
  const getItemKey = useCallback((index: number) => String((rows[index] as Row)[rowId]), [rows, rowId]);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (width > CARDS_UP_TO ? ROW : CARD),
    overscan: 6,
    scrollMargin: offset,
    getItemKey,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - Math.min(20, rows.length / 5)) onNearEnd?.();
  }, [last, rows.length, onNearEnd]);
  const first = shown[0];
  const above = first === undefined ? 0 : first.start - offset;
  return (
    <tbody ref={body} className={classes.body} style={{ height: virtual.getTotalSize(), paddingTop: above }}>
      {shown.map(({ key, index }) => (
        <TableRow
          key={key as string}
          row={rows[index] as Row}
          index={index}
          columns={columns}
          measure={virtual.measureElement}
        />
      ))}
    </tbody>
  );
}

/** Distance from the top of the page, and width, in pixels. Content above may load late and grow. */
function usePlaceInPage(of: RefObject<HTMLElement | null>): { offset: number; width: number } {
  const [offset, setOffset] = useState(0);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const look = () => {
      const bounds = of.current?.getBoundingClientRect();
      setOffset((bounds?.top ?? 0) + window.scrollY);
      setWidth(bounds?.width ?? 0);
    };
    look();
    const watch = new ResizeObserver(look);
    watch.observe(document.body);
    return () => watch.disconnect();
  }, [of]);
  return { offset, width };
}
