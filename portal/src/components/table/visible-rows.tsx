// Components: of a long table, the rows in sight; the page scrolls as if all were there.
import { useMediaQuery } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import classes from './data-table.module.css';
import { type Column, TableRow } from './table-row.tsx';

/** Pixels that a row not seen yet may take; each is measured when it is seen. */
const WIDE_ROW = 78;
const NARROW_ROW = 240;

export interface RowsProps<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  onNearEnd?: (() => void) | undefined;
}

export default function VisibleRows<Row>({ columns, rows, rowId, onNearEnd }: RowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const offset = useOffsetInPage(body);
  const narrow = useMediaQuery('(max-width: 60em)');
  // Another function would make the list measure itself anew at every render.
  const getItemKey = useCallback((index: number) => rowId(rows[index] as Row), [rows, rowId]);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (narrow ? NARROW_ROW : WIDE_ROW),
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

/** Pixels from the top of the page; what stands above may come late, and grow. */
function useOffsetInPage(of: RefObject<HTMLElement | null>): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const look = () => setOffset((of.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    look();
    const watch = new ResizeObserver(look);
    watch.observe(document.body);
    return () => watch.disconnect();
  }, [of]);
  return offset;
}
