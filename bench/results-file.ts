// Bench: RESULTS.md, with a section for each part that can be run separately.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitOf, machine } from './report.ts';

const FILE = join(import.meta.dirname, 'RESULTS.md');
const TITLE = `# Results

Written by the bench; [README.md](README.md) says what is measured and how the tables are to be read.
`;
const SECTIONS = ['Contestants', 'Growth', 'Memory', 'Responsiveness', 'Record'] as const;

export type Section = (typeof SECTIONS)[number];

/** Replaces one section and keeps the others. */
export function writeSection(section: Section, text: string): void {
  const sections = new Map<string, string>();
  const [, ...parts] = (existsSync(FILE) ? readFileSync(FILE, 'utf8') : '').split(/^## /m);
  for (const part of parts) sections.set(part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1).trim());
  // Paths on this machine are not shown.
  const options = process.argv.slice(2).map((option) => (option.includes('/') ? 'FILE' : option));
  const command = ['npm run bench', ...(options.length > 0 ? ['--', ...options] : [])].join(' ');
  const date = new Date().toISOString().slice(0, 10);
  const origin = `${date}, commit ${commitOf()}, \`${command}\`. ${machine()}.`;
  sections.set(section, `${origin}\n\n${text}`);
  const written = SECTIONS.flatMap((name) => {
    const body = sections.get(name);
    return body === undefined ? [] : [`## ${name}\n\n${body}\n`];
  });
  writeFileSync(FILE, [TITLE, ...written].join('\n'));
}
