// Guarantee: the bounds apply to any schema, also to one with recursive types.

import { createSchema, createYoga } from 'graphql-yoga';
import { describe, expect, it } from 'vitest';
import { openDocuments } from '#gateway/execution/tool-documents.ts';
import { useDocuments } from '#gateway/execution/yoga.ts';

let resolved = 0;

const schema = createSchema({
  typeDefs: 'type Query { next: Query, list: [Query!]!, name: String }',
  resolvers: {
    Query: {
      next: () => {
        resolved += 1;
        return {};
      },
      list: () => [],
    },
  },
});

async function run(query: string, costLimit = 5_000): Promise<{ errors: string[]; resolved: number }> {
  resolved = 0;
  const yoga = createYoga({ schema, logging: false, plugins: [useDocuments(openDocuments(schema), costLimit)] });
  const response = await yoga.fetch('http://localhost/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { errors = [] } = (await response.json()) as { errors?: { message: string }[] };
  return { errors: errors.map(({ message }) => message), resolved };
}

const deep = (depth: number) => `{ ${'next { '.repeat(depth - 1)}name${' }'.repeat(depth - 1)} }`;

describe('an operation', () => {
  it('may be 12 deep and not 13', async () => {
    expect(await run(deep(12))).toEqual({ errors: [], resolved: 11 });
    expect(await run(deep(13))).toEqual({ errors: [expect.stringContaining('depth')], resolved: 0 });
  });

  it('is as deep as its fragments are', async () => {
    const text = `{ ${'next { '.repeat(6)}...F${' }'.repeat(6)} } fragment F on Query ${deep(7)}`;
    expect((await run(text)).errors).toEqual([expect.stringContaining('depth')]);
  });

  it('may have 200 fields and not 201', async () => {
    expect((await run(`{ ${'name '.repeat(200)} }`)).errors).toEqual([]);
    expect((await run(`{ ${'name '.repeat(201)} }`)).errors).toEqual([expect.stringContaining('breadth')]);
  });

  it('costs ten times the content of a list, at each level', async () => {
    const lists = '{ list { list { list { name } } } }';
    expect((await run(lists, 1_111)).errors).toEqual([]);
    expect((await run(lists, 1_110)).errors).toEqual([expect.stringContaining('complexity')]);
  });
});
