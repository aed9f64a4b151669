// Guarantee: documents name files, headings, tests and commands that exist.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { COMMANDS } from '#cli/commands/index.ts';

const root = new URL('../../', import.meta.url);
/** Without decisions: a superseded one may name removed files. */
const documents = globSync(['*.md', '{docs,bench,ops}/**/*.md'], {
  cwd: root,
  exclude: ['docs/decisions', '**/node_modules'],
});
/** A path with a folder and an extension, in backticks and without placeholders. */
const NAMED = /`([\w-]+(?:\/[\w.-]+)+\.[a-z]+)`/g;
/** Folders that a name may be relative to, the layers being named without `src`. */
const WITHIN = ['', 'src/'];
const exists = (path: string) => WITHIN.some((folder) => existsSync(new URL(folder + path, root)));
/** Other paths are examples. */
const beginsInRepository = (path: string) => exists(path.slice(0, path.indexOf('/')));

it.each(documents)('files named in %s exist', (document) => {
  const named = [...readFileSync(new URL(document, root), 'utf8').matchAll(NAMED)].map(([, path = '']) => path);
  expect(named.filter((path) => beginsInRepository(path) && !exists(path))).toEqual([]);
});

it('documents name files', () => {
  const count = documents.flatMap((path) => [...readFileSync(new URL(path, root), 'utf8').matchAll(NAMED)]).length;
  expect(count).toBeGreaterThan(50);
});

const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const withoutBlocks = (text: string) => text.replace(/```[\s\S]*?```/g, '');
/** The anchor that code forges generate. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');

it.each([...documents, ...globSync('docs/decisions/*.md', { cwd: fileURLToPath(root) })])(
  'links of %s have a target',
  (document) => {
    const links = [...withoutBlocks(read(document)).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    for (const [link, path = '', anchor] of links) {
      const target = path === '' ? document : join(dirname(document), path);
      expect(existsSync(new URL(target, root)), link).toBe(true);
      const headings = [...(anchor === undefined ? '' : withoutBlocks(read(target))).matchAll(/^#+ (.*)$/gm)];
      if (anchor !== undefined) expect(headings.map(([, heading = '']) => anchorOf(heading))).toContain(anchor);
    }
  },
);

it.each(documents)('headings of %s differ, so that each has an anchor of its own', (document) => {
  const headings = [...withoutBlocks(read(document)).matchAll(/^#+ (.*)$/gm)];
  const anchors = headings.map(([, heading = '']) => anchorOf(heading));
  expect(anchors.filter((anchor, at) => anchors.indexOf(anchor) !== at)).toEqual([]);
});

it('the list of decisions has each with its title', () => {
  const files = globSync('0*.md', { cwd: new URL('docs/decisions/', root) });
  const titles = files.map((file) => `[${/^# (.*)/.exec(read(`docs/decisions/${file}`))?.[1]}](${file})`);
  const listed = [...read('docs/decisions/README.md').matchAll(/^\| (\[.*?\]\(.*?\)) \|/gm)].map(
    ([, link = '']) => link,
  );
  expect(listed.sort()).toEqual(titles.sort());
});

it('tests named in the threat model exist', () => {
  const rows = read('docs/threat-model.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| asset'));
  const named = rows.flatMap((row) =>
    [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !existsSync(new URL(`test/${name}.test.ts`, root)))).toEqual([]);
});

/** Command lines in blocks and backticks, from the name of the command on. */
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

it('every option of a command in a document exists', async () => {
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
