// Components: one row of a table, or one card of the list that it is where there is little room.
import { memo, type ReactNode } from 'react';
import classes from './data-table.module.css';

export interface Column<Row> {
  /** Unique in the table. */
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Share of the width; 1 where not given. */
  grow?: number;
  /** Least width, e.g. `9rem`. */
  min?: string;
  align?: 'end';
  /** The cell that names the row; one a table. */
  heading?: boolean;
  /** On a card the label stands beside the cell unless it speaks for itself. */
  bare?: boolean;
}

interface TableRowProps<Row> {
  row: Row;
  index: number;
  columns: readonly Column<Row>[];
  measure?: (element: HTMLElement | null) => void;
}

/** Rows that stay in view are not drawn again while one scrolls. */
export const TableRow = memo(TableRowView) as typeof TableRowView;

function TableRowView<Row>({ row, index, columns, measure }: TableRowProps<Row>) {
  return (
    <tr aria-rowindex={index + 2} data-index={index} ref={measure} className={classes.row}>
      {columns.map(({ id, header, cell, align, heading = false, bare = heading }) => {
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
          <th key={id} scope="row" className={classes.cell}>
            {content}
          </th>
        ) : (
          <td key={id} className={classes.cell} data-align={align}>
            {content}
          </td>
        );
      })}
    </tr>
  );
}
