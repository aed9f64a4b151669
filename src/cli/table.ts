// Command line: lists for people, aligned in columns.

export type Cell = string | number | null;

/** Null cells show as a dash; `empty` stands for a table without rows. */
export function table(headings: string[], rows: Cell[][], empty: string): string {
  if (rows.length === 0) return empty;
  const lines = [headings, ...rows.map((row) => row.map((cell) => (cell === null ? '-' : String(cell))))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A sentence or value per line, under a headline: what has just been made. */
export function facts(headline: string, values: Record<string, Cell>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length)) + 2;
  return [headline, ...Object.entries(values).map(([name, value]) => `  ${name.padEnd(width)}${value ?? '-'}`)].join(
    '\n',
  );
}
