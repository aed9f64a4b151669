// Command line: the program and its exit codes: 0 done, 1 failed, 2 wrong usage.
import { Command, CommanderError } from 'commander';
import { PlainError, Refusal } from '#core/errors.ts';
import { ConfigurationError, readConfig } from '#src/config.ts';
import { allSettings } from '#src/configuration/settings.ts';
import type { Environment } from '#src/configuration/sources.ts';
import { COMMANDS } from './commands/index.ts';
import { type CommandHost, note, UsageError } from './host.ts';

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

/** Contains only the command named in `argv`, or all of them for the help and for an unknown command. */
async function buildProgram(argv: string[], env: Environment): Promise<Command> {
  const program = new Command('portico')
    .description('The gateway through which estate-management firms read their clients’ portfolios by consent.')
    .option('--json', 'print one JSON value on standard output; everything else goes to standard error')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', `\nEnvironment:\n${settingsHelp()}`);
  const host: CommandHost = {
    program,
    config: () => readConfig(env),
    environment: env,
    json: () => program.opts<{ json?: boolean }>().json === true,
  };
  const first = argv.find((word) => !word.startsWith('-'));
  const named = Object.entries(COMMANDS).filter(([name]) => name === first);
  if (named.length === 0) {
    // Imported here because commands do not need it.
    const { default: npm } = await import('../../package.json', { with: { type: 'json' } });
    const version = argv.includes('--json') ? JSON.stringify({ version: npm.version }) : npm.version;
    program.version(version, '--version', 'print the version of the program');
  }
  for (const [, load] of named.length > 0 ? named : Object.entries(COMMANDS)) (await load())(host);
  refuseRepeated(program);
  return program;
}

/** By default the last value counts, but which of two roles or environments was meant is not certain. */
function refuseRepeated(command: Command): void {
  for (const option of command.options.filter(({ variadic }) => !variadic)) {
    let given = false;
    command.on(`option:${option.name()}`, () => {
      if (given) command.error(`error: option '${option.flags}' is given more than once`);
      given = true;
    });
  }
  for (const each of command.commands) refuseRepeated(each);
}

/** Runs a command line (without `node` and the script). Returns the exit code. */
export async function run(argv: string[], env: Environment): Promise<number> {
  try {
    await (await buildProgram(argv, env)).parseAsync(hoistJson(argv), { from: 'user' });
    return DONE;
  } catch (error) {
    return report(error);
  }
}

/** --json may be anywhere on the line, whereas commander requires program options first. */
function hoistJson(argv: string[]): string[] {
  return argv.includes('--json') ? ['--json', ...argv.filter((word) => word !== '--json')] : argv;
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE;
  if (error instanceof UsageError || error instanceof ConfigurationError) {
    note(`portico: ${error.message}`);
    return WRONG_USAGE;
  }
  if (error instanceof PlainError || error instanceof Refusal) note(`portico: ${error.message}`);
  else if (isListenError(error))
    note(`portico: cannot listen on ${error.address}:${error.port}: ${LISTEN_FAULTS[error.code]}`);
  else note(error instanceof Error ? `portico: ${error.stack ?? error.message}` : `portico: ${String(error)}`);
  return FAILED;
}

const LISTEN_FAULTS = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not use the port',
} as const;

type ListenError = Error & { code: keyof typeof LISTEN_FAULTS; address: string; port: number };

function isListenError(error: unknown): error is ListenError {
  const { syscall, code = '' } = error as NodeJS.ErrnoException;
  return error instanceof Error && (syscall === 'listen' || syscall === 'bind') && Object.hasOwn(LISTEN_FAULTS, code);
}

function settingsHelp(): string {
  const settings = allSettings();
  const width = Math.max(...settings.map(({ name }) => name.length)) + 2;
  const rows = settings.map(({ name, meaning }) => `  ${name.padEnd(width)}${meaning}`);
  return [...rows, '  types, defaults, secret files and values in use: portico config --explain'].join('\n');
}
