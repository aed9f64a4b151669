// Portal: the built files of the client, held in memory, so that files of one build stay together until the next start.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
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

/** In the order of preference. */
export const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

export interface File {
  type: string;
  bytes: Buffer;
  /** Compressed versions by encoding. */
  encoded: Partial<Record<(typeof ENCODINGS)[number][0], Buffer>>;
  /** Whether its name contains a digest of its content. */
  hashed: boolean;
}

export interface Files {
  /** By the path below `/portal/`. */
  byPath: ReadonlyMap<string, File>;
  /** The page as text with a placeholder for the nonce; null if the client is not built. */
  page: string | null;
}

export function readFiles(directory: string = DIRECTORY): Files {
  const byPath = new Map<string, File>();
  const names = existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: 'utf8' }) : [];
  for (const name of names) {
    const type = TYPES[extname(name)];
    const path = name.replaceAll(sep, '/');
    if (type === undefined || path === 'index.html') continue;
    const read = (suffix: string) => readFileSync(join(directory, `${name}${suffix}`));
    const pairs = ENCODINGS.filter(([, suffix]) => names.includes(`${name}${suffix}`));
    const encoded = Object.fromEntries(pairs.map(([encoding, suffix]) => [encoding, read(suffix)]));
    byPath.set(path, { type, bytes: read(''), encoded, hashed: path.startsWith('assets/') });
  }
  const page = names.includes('index.html') ? readFileSync(join(directory, 'index.html'), 'utf8') : null;
  return { byPath, page };
}
