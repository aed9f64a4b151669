// Command line: the program and its exit codes: 0 done, 1 failed, 2 wrong usage.
import { Command, CommanderError } from 'commander';
import { PlainError, Refusal } from '#core/errors.ts';
import { ConfigurationError, readConfig } from '#src/config.ts';
import { allSettings } from '#src/configuration/settings.ts';
import type { Environment } from '#src/configuration/sources.ts';
import { COMMANDS } from './commands/index.ts';
import { beginOutput, type CommandHost, note, print, printError, UsageError } from './host.ts';

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

/** Contains only the command named in `argv`, or all of them for the help and for an unknown command. */
async function buildProgram(argv: string[], env: Environment, write: (text: string) => void): Promise<Command> {
  const program = new Command('portico')
    .description('The gateway through which estate-management firms read their clients’ portfolios by consent.')
    .option('--json', 'print one JSON value on standard output; everything else goes to standard error')
    .exitOverride()
    .configureOutput({ writeOut: write })
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
    program.version(npm.version, '--version', 'print the version of the program');
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
  beginOutput();
  const json = argv.includes('--json');
  const words = hoistJson(argv);
  /** Help, which Commander writes in parts, or the version. */
  let told = '';
  const tell = (text: string) => {
    told += text;
  };
  try {
    await (await buildProgram(argv, env, tell)).parseAsync(words, { from: 'user' });
    return DONE;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      const text = told.trimEnd();
      print(json, error.code === 'commander.version' ? { version: text } : { help: text }, text);
      return DONE;
    }
    const { exitCode, code, message, text } = describe(error, words);
    // Commander has reported its own errors.
    if (text !== null) note(`portico: ${text}`);
    if (json) printError(code, message);
    return exitCode;
  }
}

/** --json may be anywhere on the line, whereas commander requires program options first. */
function hoistJson(argv: string[]): string[] {
  return argv.includes('--json') ? ['--json', ...argv.filter((word) => word !== '--json')] : argv;
}

interface Failure {
  exitCode: number;
  /** Of the JSON value. */
  code: string;
  message: string;
  /** For standard error; null if it is there already. */
  text: string | null;
}

/** `words`: the command line, with --json first. */
function describe(error: unknown, words: string[]): Failure {
  if (error instanceof CommanderError) {
    const usage = { exitCode: WRONG_USAGE, code: 'wrong_usage' };
    if (error.code !== 'commander.help')
      return { ...usage, message: error.message.replace(/^error: /, ''), text: null };
    const [, asked] = words.slice(words.indexOf('help'));
    if (!words.includes('help') || asked === undefined)
      return { ...usage, message: 'a command is missing', text: null };
    // Commander has printed the help, without naming the word.
    const message = `unknown command '${asked}'`;
    return { ...usage, message, text: message };
  }
  if (!(error instanceof Error)) return failure('internal_error', String(error));
  if (error instanceof UsageError || error instanceof ConfigurationError)
    return { ...failure('wrong_usage', error.message), exitCode: WRONG_USAGE };
  if (error instanceof Refusal) return failure(error.code, error.message);
  if (error instanceof PlainError) return failure('failed', error.message);
  if (isListenError(error))
    return failure('failed', `cannot listen on ${error.address}:${error.port}: ${LISTEN_FAULTS[error.code]}`);
  return { ...failure('internal_error', error.message), text: error.stack ?? error.message };
}

const failure = (code: string, message: string): Failure => ({ exitCode: FAILED, code, message, text: message });

const LISTEN_FAULTS = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not use the port',
} as const;

type ListenError = Error & { code: keyof typeof LISTEN_FAULTS; address: string; port: number };

function isListenError(error: Error): error is ListenError {
  const { syscall, code = '' } = error as NodeJS.ErrnoException;
  return (syscall === 'listen' || syscall === 'bind') && Object.hasOwn(LISTEN_FAULTS, code);
}

function settingsHelp(): string {
  const settings = allSettings();
  const width = Math.max(...settings.map(({ name }) => name.length)) + 2;
  const rows = settings.map(({ name, meaning }) => `  ${name.padEnd(width)}${meaning}`);
  return [...rows, '  types, defaults, secret files and values in use: portico config --explain'].join('\n');
}
