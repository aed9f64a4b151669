// Configuration: docs/configuration.md, generated from the table of settings.
import { allSettings, type Setting } from './settings.ts';

const ABOVE = `# Configuration

Portico is configured by environment variables. They are read once and checked together: if any value is wrong, the process
does not start and lists all faults, without repeating a secret. An empty variable counts as not set. This page is generated
from the table that reads the variables; \`portico config --explain\` prints that table with each value and its source.

To read a secret from a file, set \`NAME_FILE\` to the path instead of \`NAME\`. White space around the text, such as the
newline at the end, is ignored. It is a fault to set both, or to name a file that is empty or cannot be read. Files are read
when a process starts, which for workers is also at each rolling restart.

| variable | type | default | secret, also from \`NAME_FILE\` | |
|---|---|---|---|---|
`;

export function documentSettings(): string {
  return `${ABOVE}${allSettings()
    .map(({ name, form, meaning, secret, ...setting }) => {
      const cells = [`\`${name}\``, cell(form.type), cell(defaultOf(setting)), secret ? 'yes' : '', cell(meaning)];
      return `| ${cells.join(' | ')} |\n`;
    })
    .join('')}`;
}

/** The default, or the behaviour without a value. */
export function defaultOf(setting: Pick<Setting, 'default' | 'otherwise'>): string {
  return setting.default ?? setting.otherwise ?? '';
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '\\<');
