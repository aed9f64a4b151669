// Components: the figures of a chart as a table.
import type { ReactNode } from 'react';
import classes from './figures.module.css';

interface FigureTableProps {
  caption: string;
  head: readonly string[];
  /** The first cell is the row's header. */
  rows: readonly { id: string; cells: readonly ReactNode[] }[];
}

/** Collapsed below the chart. */
export function Figures(props: FigureTableProps) {
  return (
    <details className={classes.fold}>
      <summary>As a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <section className={classes.scrolled} tabIndex={0} aria-label={props.caption}>
        <FigureTable {...props} />
      </section>
    </details>
  );
}

export function FigureTable({ caption, head, rows }: FigureTableProps) {
  return (
    <table className={classes.figures}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, cells: [first, ...rest] }) => (
          <tr key={id}>
            <th scope="row">{first}</th>
            {rest.map((cell, column) => (
              <td key={head[column + 1]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
