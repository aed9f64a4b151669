// Portal: the client's built files, held in memory: what was built together stays together until the next start.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIRECTORY = fileURLToPath(new URL('../../portal/dist/', import.meta.url));

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Preferred first. */
export const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

export interface File {
  type: string;
  bytes: Buffer;
  /** Compressed, by the name of the encoding. */
  encoded: Partial<Record<(typeof ENCODINGS)[number][0], Buffer>>;
  /** Its name holds a digest of its content. */
  hashed: boolean;
}

export interface Files {
  /** By path below `/portal/`. */
  byPath: ReadonlyMap<string, File>;
  /** The page, as text with the mark of the nonce; null where the client was not built. */
  page: string | null;
}

export function readFiles(directory: string = DIRECTORY): Files {
  const byPath = new Map<string, File>();
  const present = statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true;
  const names = present ? readdirSync(directory, { recursive: true, encoding: 'utf8' }) : [];
  for (const name of names) {
    const type = TYPES[extname(name)];
    const path = relative('.', name).split(sep).join('/');
    if (type === undefined || path === 'index.html') continue;
    const read = (suffix: string) => readFileSync(join(directory, `${name}${suffix}`));
    const pairs = ENCODINGS.filter(([, suffix]) => names.includes(`${name}${suffix}`));
    const encoded = Object.fromEntries(pairs.map(([encoding, suffix]) => [encoding, read(suffix)]));
    byPath.set(path, { type, bytes: read(''), encoded, hashed: path.startsWith('assets/') });
  }
  const page = names.includes('index.html') ? readFileSync(join(directory, 'index.html'), 'utf8') : null;
  return { byPath, page };
}
