// Process: the bounds of the heap, which Node takes from its command line alone.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** MiB, as measured (docs/decisions/0032-memory-of-a-gateway.md). The young generation has up to three semi-spaces. */
const BOUNDS = { 'max-semi-space-size': 32, 'max-old-space-size': 1792 };

/**
 * Begins this process anew, under the same id, with the bounds that were measured: Node's own go by the machine's memory. Returns
 * where they are in force, or others that whoever started it has chosen, and where the process cannot be replaced: on Windows, and
 * under a parent that has a channel to it, which would be lost.
 */
export function boundHeap(): void {
  const { execArgv, env, execPath, argv } = process;
  const chosen = `${execArgv.join(' ')} ${env.NODE_OPTIONS ?? ''}`.replaceAll('_', '-');
  const options = Object.entries(BOUNDS).flatMap(([name, size]) =>
    chosen.includes(`--${name}`) ? [] : [`--${name}=${size}`],
  );
  if (options.length === 0 || process.send !== undefined) return;
  process.execve?.(execPath, [execPath, ...execArgv, ...options, ...argv.slice(1)], { ...env, ...compileCache() });
}

/** Known from the start, the cache also has the program's first file, and what strips types is not loaded: 16 MB less. */
function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const directory = getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}
