// Command line: `portico config`.
import { readConfig } from '#src/config.ts';
import { defaultOf } from '#src/configuration/document.ts';
import { allSettings } from '#src/configuration/settings.ts';
import { fileVariable, readSetting } from '#src/configuration/sources.ts';
import { type CommandHost, print } from '../host.ts';
import { table } from '../table.ts';

interface Explained {
  name: string;
  type: string;
  default: string;
  secret: boolean;
  /** The variable that may name a file with the value; null if there is none. */
  file_variable: string | null;
  /**
   * For a secret only whether it is set; URLs without user and password; `wrong` if it cannot be read; null if it is
   * not set.
   */
  value: string | null;
  /** `environment`, `default`, or the file; null if it is not set. */
  source: string | null;
  meaning: string;
}

export function registerConfig({ program, environment, json }: CommandHost): void {
  program
    .command('config')
    .description('the settings in use: values and sources; of secrets only whether they are set')
    .option('--explain', 'add the type, default and meaning of each setting', false)
    .action(({ explain }: { explain: boolean }) => {
      const settings = explainSettings(environment);
      if (explain) print(json(), settings, explainedTable(settings));
      else print(json(), settings.map(brief), briefTable(settings));
      // Throws for a wrong setting: exit code 2, as for any command that reads the configuration.
      readConfig(environment);
    });
}

/** A setting that is not secret may be a URL with a password. */
const USER_OF_URL = /\/\/[^/\s]*@/g;

function explainSettings(environment: CommandHost['environment']): Explained[] {
  return allSettings().map(({ name, form, meaning, secret = false, ...setting }) => {
    const { text, source, fault } = readSetting(name, environment);
    return {
      ...{ name, type: form.type, default: defaultOf(setting), secret },
      file_variable: secret ? fileVariable(name) : null,
      value:
        fault !== null
          ? 'wrong'
          : text !== undefined && secret
            ? 'set'
            : (text?.replaceAll(USER_OF_URL, '//…@') ?? null),
      source,
      meaning,
    };
  });
}

const brief = ({ name, value, source }: Explained) => ({ name, value, source });

function briefTable(settings: Explained[]): string {
  return table(
    ['setting', 'value', 'source'],
    settings.map(({ name, value, source }) => [name, value ?? 'not set', source]),
    '',
  );
}

function explainedTable(settings: Explained[]): string {
  const rows = settings.map((one) => [
    ...[one.name, one.value ?? 'not set', one.source, one.default, one.type],
    one.secret ? `secret, or ${one.file_variable}` : '',
    one.meaning,
  ]);
  return table(['setting', 'value', 'source', 'default', 'type', 'file', 'meaning'], rows, '');
}
