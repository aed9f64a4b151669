// Command line: what every command is given, and how it prints and fails.
import type { Command } from 'commander';
import { PlainError } from '#core/errors.ts';
import { snakeCase } from '#core/fields/field.ts';
import type { Config } from '#src/config.ts';
import type { Environment } from '#src/configuration/sources.ts';

export interface CommandHost {
  program: Command;
  /** The checked configuration; read when a command runs, so that --help works with any environment. */
  config(): Config;
  /** What the configuration is read from. */
  environment: Environment;
  /** Whether --json was given. */
  json(): boolean;
}

/** Exit code 1. */
export class CommandFailure extends PlainError {}

/** Wrong usage: exit code 2. */
export class UsageError extends Error {}

/** The same by the names that JSON has for them: `created_at` for `createdAt`. */
export const snakeCased = (values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [snakeCase(name), value]));

/** With --json one JSON value on standard output; otherwise the human text there. */
export function print(json: boolean, value: unknown, text: string): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${text}\n`);
}

/** Notes, progress and warnings: standard error, so that standard output stays a value. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
