#!/usr/bin/env node
// The process: runs one command line and exits with its code.
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { compileCacheDirectory } from '#database/private-directory.ts';

// Compiled modules are executed as they are found, so the directory must be this user's alone: Node's own default, a
// name in the directory for temporary files, may have been created by anybody. Without such a directory nothing is
// cached. Modules imported before this line are not in it.
const cache = getCompileCacheDir() === undefined ? compileCacheDirectory() : null;
if (cache !== null) enableCompileCache(cache);

const words = process.argv.slice(2);
const serves = words.find((word) => !word.startsWith('-')) === 'serve';

// First, because it replaces the process: modules loaded before would be loaded twice.
if (serves) (await import('#process/heap.ts')).boundHeap();

// Commands other than `serve` are ended by default, except as the first process of a container, which is only ended by
// signals that it listens for.
if (serves || process.pid === 1) (await import('#cli/stop-signals.ts')).exitOnSignal();

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
