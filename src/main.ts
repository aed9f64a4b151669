#!/usr/bin/env node
// The process: runs one command line and exits with its code.
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { compileCacheDirectory } from '#database/private-directory.ts';

// Compiled modules are executed as they are found, so the directory must be this user's alone: Node's own default, a
// name in the directory for temporary files, may have been created by anybody. Without such a directory nothing is
// cached. Modules imported before this line are not in it.
const cache = getCompileCacheDir() === undefined ? compileCacheDirectory() : null;
if (cache !== null) enableCompileCache(cache);

// As the first process of a container, a process is only ended by signals that it listens for. `serve` adds its own
// listeners once it listens.
if (process.pid === 1)
  for (const [signal, code] of [['SIGTERM', 143] as const, ['SIGINT', 130] as const])
    process.on(signal, () => process.listenerCount(signal) === 1 && process.exit(code));

const words = process.argv.slice(2);
const serves = words.find((word) => !word.startsWith('-')) === 'serve';

// First, because it replaces the process: modules loaded before would be loaded twice.
if (serves) (await import('#process/heap.ts')).boundHeap();

// Notes and progress that cannot be written, for example on a full disk, are lost; the work goes on.
process.stderr.on('error', () => {});
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Its log is written without this stream.
  if (serves) return;
  // A reader such as `head` may close standard output early.
  if (error.code !== 'EPIPE') console.error(`portico: standard output cannot be written: ${error.message}`);
  process.exit(1);
});

const { run } = await import('#cli/program.ts');

process.exitCode = await run(words, process.env);
