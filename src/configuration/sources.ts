// Configuration: the source of a setting's text: the environment, a file named there, or the default.
import { readFileSync } from 'node:fs';
import { Fault } from './forms.ts';
import { SETTINGS, type Setting, type SettingName } from './settings.ts';

export type Environment = Record<string, string | undefined>;

interface Found {
  /** `environment`, `default`, or the file: its path, or `file` if it cannot be read. Null if the setting is not set. */
  source: string | null;
  /** The text as given, without surrounding whitespace. */
  text: string | undefined;
}

interface Read extends Found {
  value: unknown;
  fault: string | null;
}

export const fileVariable = (name: string): string => `${name}_FILE`;

/** Reads one setting. An empty variable counts as not set. An empty file is a fault, because a secret belongs in it. */
export function readSetting(name: SettingName, env: Environment): Read {
  const setting: Setting = SETTINGS[name];
  const found = findText(name, setting, env);
  if (found instanceof Fault) return { source: 'file', text: undefined, value: undefined, fault: found.reason };
  const value = found.text === undefined ? undefined : setting.form.read(found.text);
  if (value instanceof Fault) return { ...found, value: undefined, fault: `${name}: ${value.reason}` };
  return { ...found, value, fault: null };
}

function findText(name: string, setting: Setting, env: Environment): Found | Fault {
  const text = given(env[name]);
  const file = setting.secret ? given(env[fileVariable(name)]) : undefined;
  if (file !== undefined) {
    if (text !== undefined) return new Fault(`${name} and ${fileVariable(name)} are both set`);
    return readText(name, file);
  }
  if (text !== undefined) return { text, source: 'environment' };
  return { text: setting.default, source: setting.default === undefined ? null : 'default' };
}

function readText(name: string, file: string): Found | Fault {
  try {
    const text = given(readFileSync(file, 'utf8'));
    return text === undefined ? new Fault(`${fileVariable(name)}: ${file} is empty`) : { text, source: file };
  } catch (error) {
    return new Fault(`${fileVariable(name)}: ${(error as Error).message}`);
  }
}

/** Trims surrounding whitespace, such as the newline at the end of a file. */
function given(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}
