#!/usr/bin/env node
// The process: runs one command line and leaves with its exit code.
import { run } from '#cli/index.ts';

process.exitCode = await run(process.argv.slice(2), process.env);
