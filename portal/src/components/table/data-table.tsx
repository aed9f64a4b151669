// Components: a table that stays fast with 10,000 rows, and becomes a list of cards where columns have no room.
import { type CSSProperties, lazy, type ReactNode, Suspense, useEffect, useRef } from 'react';
import classes from './data-table.module.css';
import { type Column, TableRow } from './table-row.tsx';
import type { RowsProps } from './visible-rows.tsx';

export type { Column };

/** `columns` must be a constant: rows are rendered again when it changes. */
interface DataTableProps<Row> extends RowsProps<Row> {
  /** What the table contains, for screen readers. */
  label: string;
  /** Number of rows of the whole list, if not all are loaded. */
  total?: number;
}

/** Shorter tables are rendered completely, so that find in page, print and screen readers get all rows. */
const VIRTUAL_FROM = 120;
const VisibleRows = lazy(() => import('./visible-rows.tsx')) as <Row>(props: RowsProps<Row>) => ReactNode;

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, total = rows.length } = props;
  const template = columns.map(({ grow = 1, min = '0' }) => `minmax(${min}, ${grow}fr)`).join(' ');
  return (
    <div className={classes.frame}>
      <table
        aria-label={label}
        aria-rowcount={total + 1}
        className={classes.table}
        style={{ '--columns': template } as CSSProperties}
      >
        <thead className={classes.head}>
          <tr aria-rowindex={1} className={classes.row}>
            {columns.map(({ header, align }) => (
              <th key={header} scope="col" className={classes.header} data-align={align}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        {rows.length < VIRTUAL_FROM ? (
          <AllRows {...props} />
        ) : (
          <Suspense fallback={<AllRows {...props} rows={rows.slice(0, VIRTUAL_FROM)} onNearEnd={undefined} />}>
            <VisibleRows {...props} />
          </Suspense>
        )}
      </table>
    </div>
  );
}

function AllRows<Row>({ columns, rows, rowId, onNearEnd }: RowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const count = rows.length;
  useEffect(() => {
    const last = body.current?.rows[count - 1];
    if (onNearEnd === undefined || last === undefined) return;
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && onNearEnd(), { rootMargin: '600px' });
    watch.observe(last);
    return () => watch.disconnect();
  }, [onNearEnd, count]);
  return (
    <tbody ref={body} className={classes.body}>
      {rows.map((row, index) => (
        <TableRow key={String(row[rowId])} row={row} index={index} columns={columns} />
      ))}
    </tbody>
  );
}
