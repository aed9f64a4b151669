// Portal: the size of what a browser loads before it shows the first page.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of the page, the files that it names and the Latin font, compressed as they are sent. */
export function firstLoad(directory: string): number {
  const page = readFileSync(join(directory, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="\/portal\/([^"]+)"/g)].map(([, name = '']) => name);
  const sheets = named.filter((name) => name.endsWith('.css'));
  const fonts = sheets.flatMap((sheet) => [
    ...readFileSync(join(directory, sheet), 'utf8').matchAll(/assets\/inter-latin-wght[^)"]+/g),
  ]);
  const files = new Set([...named, ...fonts.map(([name]) => name)]);
  return [...files].reduce((sum, name) => sum + sentSize(join(directory, name)), page.length);
}

const sentSize = (path: string): number => statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size;
