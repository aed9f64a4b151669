// Command line: the context of every command, and how it prints and fails.
import type { Command } from 'commander';
import { PlainError, Refusal } from '#core/errors.ts';
import { snakeCase } from '#core/fields/field.ts';
import type { Config } from '#src/config.ts';
import type { Environment } from '#src/configuration/sources.ts';
import { printable, printableJson } from './printable.ts';

export interface CommandHost {
  program: Command;
  /** The validated configuration. Read when a command runs, so that --help works in any environment. */
  config(): Config;
  /** The environment from which the configuration is read. */
  environment: Environment;
  /** Whether --json was given. */
  json(): boolean;
}

/** Causes exit code 1. */
export class CommandFailure extends PlainError {}

/** For `catch`: throws the error as a CommandFailure that says before the error's message what failed. */
export const asFailure =
  (what: string) =>
  (cause: Error): never => {
    throw new CommandFailure(`${what}: ${cause.message}`, { cause });
  };

/** What the command names does not exist; causes exit code 1, with the code of the refusals about it. */
export const notFound = (what: string): Refusal =>
  new Refusal('resource_not_found', { message: `there is no ${what}` });

/** Wrong usage; causes exit code 2. */
export class UsageError extends Error {}

/** Renames the properties as in JSON output: `created_at` for `createdAt`. */
export const snakeCased = (values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [snakeCase(name), value]));

/** Whether the command has printed its result: a failure after it, as of `doctor`, adds no second JSON value. */
let hasPrinted = false;

/** Prints one JSON value with --json, otherwise the text, to standard output. */
export function print(json: boolean, value: unknown, text: string): void {
  hasPrinted = true;
  process.stdout.write(json ? `${printableJson(JSON.stringify(value))}\n` : `${printable(text)}\n`);
}

/** To be called before a command runs. */
export function beginOutput(): void {
  hasPrinted = false;
}

/** Prints the error as the JSON value of a command with --json that has printed none. */
export function printError(code: string, message: string): void {
  if (!hasPrinted) print(true, { error: { code, message } }, '');
}

/** Prints notes, progress and warnings to standard error, so that standard output contains only the result. */
export function note(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}
