// The Dockerfile: valid, and copying only files that exist.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Copy, DockerfileParser, type From } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
const dockerfile = DockerfileParser.parse(text);
const instructions = dockerfile.getInstructions();
const last = instructions.findLastIndex((one) => one.getKeyword() === 'FROM');
const final = instructions.slice(last);
const only = (keyword: string) => final.filter((one) => one.getKeyword() === keyword);

const fromFlag = (copy: Copy) =>
  copy
    .getFlags()
    .find((flag) => flag.getName() === 'from')
    ?.getValue();
const wordsOf = (copy: Copy) => copy.getArguments().map((argument) => argument.getValue());

it('is valid', () => {
  expect(validate(text)).toEqual([]);
});

it('copies existing paths of the repository or from a stage of the file', () => {
  const stages = instructions
    .filter((one): one is From => one.getKeyword() === 'FROM')
    .map((from) => from.getBuildStage());
  const copies = instructions.filter((one): one is Copy => one.getKeyword() === 'COPY');
  expect(copies.length).toBeGreaterThan(5);
  for (const copy of copies) {
    const stage = fromFlag(copy);
    if (stage !== undefined) expect(stages).toContain(stage);
    else for (const source of wordsOf(copy).slice(0, -1)) expect(existsSync(join(root, source)), source).toBe(true);
  }
});

it('.dockerignore sends the builder what is copied, and nothing else', () => {
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  expect(lines.find((line) => line !== '' && !line.startsWith('#'))).toBe('*');
  const sent = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const copied = instructions
    .filter((one): one is Copy => one.getKeyword() === 'COPY' && fromFlag(one as Copy) === undefined)
    .flatMap((copy) => wordsOf(copy).slice(0, -1));
  const tops = new Set(copied.map((path) => path.split('/')[0]));
  expect([...tops].sort()).toEqual([...sent].sort());
});

describe('the container', () => {
  it('runs as a numbered user, so that platforms can see that it is not root', () => {
    expect(only('USER').map((one) => one.getArgumentsContent())).toEqual(['10001:10001']);
  });

  it('starts the server directly, without a shell or npm', () => {
    const [entry] = only('ENTRYPOINT').map((one) => JSON.parse(one.getArgumentsContent() ?? 'null'));
    expect(entry).toEqual(['/app/node_modules/node/bin/node', '/app/src/main.ts']);
    expect(only('CMD').map((one) => one.getArgumentsContent())).toEqual(['["serve"]']);
    expect(only('RUN')).toEqual([]);
  });

  it('has a health check', () => {
    expect(only('HEALTHCHECK')).toHaveLength(1);
  });
});
