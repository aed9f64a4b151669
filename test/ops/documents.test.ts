// Guarantee: documents name files, headings, tests and commands that are there.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { COMMANDS } from '#cli/commands/index.ts';

const root = new URL('../../', import.meta.url);
/** Decisions keep what they were made of: a superseded one may name what is gone. */
const documents = globSync(['*.md', '{docs,bench,ops}/**/*.md'], {
  cwd: root,
  exclude: ['docs/decisions', '**/node_modules'],
});
/** A path with a folder and an ending, in backticks; those with placeholders are none. */
const NAMED = /`([\w-]+(?:\/[\w.-]+)+\.[a-z]+)`/g;
/** Folders that a name may be relative to, the layers being named without `src`. */
const WITHIN = ['', 'src/'];
const isThere = (path: string) => WITHIN.some((folder) => existsSync(new URL(folder + path, root)));
/** Others are examples. */
const beginsWithOurs = (path: string) => isThere(path.slice(0, path.indexOf('/')));

it.each(documents)('%s', (document) => {
  const named = [...readFileSync(new URL(document, root), 'utf8').matchAll(NAMED)].map(([, path = '']) => path);
  expect(named.filter((path) => beginsWithOurs(path) && !isThere(path))).toEqual([]);
});

it('finds names to look at', () => {
  const count = documents.flatMap((path) => [...readFileSync(new URL(path, root), 'utf8').matchAll(NAMED)]).length;
  expect(count).toBeGreaterThan(50);
});

const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const withoutBlocks = (text: string) => text.replace(/```[\s\S]*?```/g, '');
/** As code forges make them. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');

it.each([...documents, ...globSync('docs/decisions/*.md', { cwd: fileURLToPath(root) })])('links of %s', (document) => {
  const links = [...withoutBlocks(read(document)).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  for (const [link, path = '', anchor] of links) {
    const target = path === '' ? document : join(dirname(document), path);
    expect(existsSync(new URL(target, root)), link).toBe(true);
    const headings = [...(anchor === undefined ? '' : withoutBlocks(read(target))).matchAll(/^#+ (.*)$/gm)];
    if (anchor !== undefined) expect(headings.map(([, heading = '']) => anchorOf(heading))).toContain(anchor);
  }
});

it('the threat model names tests', () => {
  const rows = read('docs/threat-model.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| asset'));
  const named = rows.flatMap((row) =>
    [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !existsSync(new URL(`test/${name}.test.ts`, root)))).toEqual([]);
});

/** Command lines in blocks and backticks, without what stands before their first word. */
function commandLines(text: string): string[][] {
  const blocks = [...text.matchAll(/```\w*\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block.replace(/\\\n/g, ' ').split('\n'),
  );
  const spans = [...withoutBlocks(text).matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
  return [...blocks, ...spans]
    .flatMap((code) => code.replace(/#.*/, '').split(/[;|]|&&/))
    .map((line) =>
      line
        .replace(/^\s*(?:(?:npm run -s )?portico(?: --)? |.*src\/main\.ts )/, '')
        .trim()
        .split(/\s+/),
    );
}

it('every option of a command in a document is one of it', async () => {
  const program = new Command('portico').option('--json');
  for (const load of Object.values(COMMANDS))
    (await load())({ program, config: () => ({}) as never, environment: {}, json: () => false });
  const unknown: string[] = [];
  let found = 0;
  for (const document of documents)
    for (const [first, second, ...rest] of commandLines(read(document))) {
      const command = program.commands.find((one) => one.name() === first);
      if (command === undefined) continue;
      const inner = command.commands.find((one) => one.name() === second);
      const known = [inner, command, program].flatMap((one) => one?.options.map(({ long }) => long) ?? []);
      const named = [second ?? '', ...rest].flatMap((word) => /^\[?(--[a-z-]+)/.exec(word)?.[1] ?? []);
      found += named.length;
      unknown.push(
        ...named.filter((option) => !known.includes(option)).map((option) => `${document}: ${first} ${option}`),
      );
    }
  expect(found).toBeGreaterThan(60);
  expect(unknown).toEqual([]);
});
