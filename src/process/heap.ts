// Process: the size of the heap, which Node accepts only on its command line.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** MiB, as measured (docs/decisions/0032-memory-of-a-gateway.md). The young generation has up to three semi-spaces. */
const BOUNDS = { 'max-semi-space-size': 32, 'max-old-space-size': 1792 };

/**
 * Replaces this process, under the same process id, by one with the measured bounds; Node's own defaults depend on the
 * machine's memory. Returns where these or other bounds are already set, and where the process cannot be replaced: on
 * Windows, and under a parent with an IPC channel, which would be lost.
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

/** With the cache set from the start, the first file is cached too, and the type stripper is not loaded: 16 MB less. */
function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const directory = getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}
