// Command line: lists for people, aligned in columns.
import { printableLine } from './printable.ts';

export type Cell = string | number | null;

/** Null cells are shown as a dash; `empty` replaces a table without rows. */
export function table(headings: string[], rows: Cell[][], empty: string): string {
  if (rows.length === 0) return empty;
  const lines = [headings, ...rows.map((row) => row.map(shown))];
  // Not by spreading the lines: a call has room for some 100,000 arguments.
  const widths = headings.map((_, column) =>
    lines.reduce((width, line) => Math.max(width, line[column]?.length ?? 0), 0),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const shown = (cell: Cell): string => (cell === null ? '-' : printableLine(String(cell)));

/** A headline, and below it one named value per line: for new objects. */
export function facts(headline: string, values: Record<string, Cell>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length)) + 2;
  return [
    printableLine(headline),
    ...Object.entries(values).map(([name, value]) => `  ${name.padEnd(width)}${shown(value)}`),
  ].join('\n');
}
