// Configuration: docs/configuration.md, generated from the table of settings.
import { allSettings, type Setting } from './settings.ts';

const ABOVE = `# Configuration

Environment variables. They are read once and checked together: wrong values stop the start with all faults listed, none of which
repeats a secret. An empty variable counts as not set. This page is made from the table that reads them; \`portico config --explain\`
prints it with what is set and where it comes from.

A secret may stand in a file: \`NAME_FILE\` names it in place of \`NAME\`, and what surrounds the text, such as the newline at the end,
does not count. Both at once, a file that cannot be read and an empty one are faults. Files are read at the start of a process, which for
workers is also each rolling restart.

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
