// Portal: builds the client into `dist`, with compressed versions, unless `dist` is up to date.
import { createHash } from 'node:crypto';
import { globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '..');
const DIST = join(HERE, 'dist');
/** Contains the fingerprint of the sources from which `dist` was built. */
const STAMP = join(DIST, '.made-of');

const SOURCES = ['portal/{src,public}/**', 'portal/*.{ts,html,json}', 'src/core/**', 'package-lock.json'];
const COMPRESSED = ['.css', '.js', '.json', '.svg'];
/** Smaller files fit in one packet anyway. */
const LEAST_BYTES = 1_024;

function fingerprint(): string {
  const hash = createHash('sha256');
  const files = globSync(SOURCES, { cwd: ROOT, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of files.map(({ parentPath, name }) => join(parentPath, name)).sort())
    hash
      .update(`${file.slice(ROOT.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

function readStamp(): string | null {
  try {
    return readFileSync(STAMP, 'utf8');
  } catch {
    return null;
  }
}

function compress(directory: string): void {
  for (const name of globSync('**/*', { cwd: directory })) {
    if (!COMPRESSED.includes(extname(name))) continue;
    const path = join(directory, name);
    const bytes = readFileSync(path);
    if (bytes.length < LEAST_BYTES) continue;
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, quality));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
  }
}

/** If another process has built first, its result from the same sources is used. */
function swapIn(aside: string): void {
  try {
    renameSync(aside, DIST);
    process.stderr.write('portal: built\n');
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Builds in a directory aside, so that other processes that read or build `dist` never see an incomplete one. */
async function build(madeOf: string): Promise<void> {
  // Overrides the caller's value, such as a test runner's: React includes its slower development version otherwise.
  process.env.NODE_ENV = 'production';
  const { build: bundle } = await import('vite');
  const aside = `${DIST}.${process.pid}`;
  try {
    await bundle({ root: HERE, logLevel: 'error', build: { outDir: aside, emptyOutDir: true } });
    compress(aside);
    writeFileSync(join(aside, '.made-of'), madeOf);
    rmSync(DIST, { recursive: true, force: true });
    swapIn(aside);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

const madeOf = fingerprint();
if (readStamp() !== madeOf) {
  try {
    await build(madeOf);
  } catch (error) {
    // An installation without development packages comes with a `dist`, or runs without the portal.
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write('portal: not built, since its packages are not installed\n');
  }
}
