#!/usr/bin/env node
// The process: runs one command line and leaves with its exit code.
import { enableCompileCache } from 'node:module';

// Kept beside the system's temporary files, and done without where it cannot be written. What is imported before this
// line is not in it.
enableCompileCache();
const { run } = await import('#cli/program.ts');

process.exitCode = await run(process.argv.slice(2), process.env);
