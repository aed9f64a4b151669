#!/usr/bin/env node
// The process: runs one command line and leaves with its exit code.
import { run } from '#cli/program.ts';

process.exitCode = await run(process.argv.slice(2), process.env);
