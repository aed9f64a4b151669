// Components: a row of a table, or a card of a list on narrow screens.
import { memo, type ReactNode } from 'react';
import classes from './data-table.module.css';

export interface Column<Row> {
  /** Unique within the table. */
  header: string;
  cell: (row: Row) => ReactNode;
  /** Share of the width; 1 by default. */
  grow?: number;
  /** Minimum width, such as `9rem`. */
  min?: string;
  align?: 'end';
  /** Whether the cell names the row; one per table. */
  heading?: boolean;
  /** Whether a card omits the label, because the cell is self-explanatory. */
  bare?: boolean;
}

interface TableRowProps<Row> {
  row: Row;
  index: number;
  columns: readonly Column<Row>[];
  measure?: (element: HTMLElement | null) => void;
}

/** Rows that stay in view are not rendered again during scrolling. */
export const TableRow = memo(TableRowView) as typeof TableRowView;

function TableRowView<Row>({ row, index, columns, measure }: TableRowProps<Row>) {
  return (
    <tr aria-rowindex={index + 2} data-index={index} ref={measure} className={classes.row}>
      {columns.map(({ header, cell, align, heading = false, bare = heading }) => {
        const content = (
          <>
            {!bare && (
              <span className={classes.label} aria-hidden>
                {header}
              </span>
            )}
            <div className={classes.value}>{cell(row)}</div>
          </>
        );
        return heading ? (
          <th key={header} scope="row" className={classes.cell}>
            {content}
          </th>
        ) : (
          <td key={header} className={classes.cell} data-align={align}>
            {content}
          </td>
        );
      })}
    </tr>
  );
}
