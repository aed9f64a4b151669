// Risk: a small operation of an authenticated tool that is expensive to read, to validate or to run.

import { describe, expect, it } from 'vitest';
import { codesOf, withToolScene } from '#test/support/tools.ts';

const scene = withToolScene();

const times = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');
const assets = (selection: string) => `{ assets(clientId: "${scene.partner.client.id}") { nodes { ${selection} } } }`;

/** Fragments each of which spreads the next twice: 2^levels fields in a few hundred characters. */
const doubling = (levels: number, on: string, field: string) =>
  `${times(levels, (at) => `fragment F${at} on ${on} { ...F${at + 1} ...F${at + 1} }`)} fragment F${levels} on ${on} { ${field} }`;

const BOMBS: [string, () => string][] = [
  [
    'aliases of a root field',
    () => `{ ${times(100, (at) => `a${at}: assets(clientId: "${scene.partner.client.id}") { nodes { id } }`)} }`,
  ],
  [
    'aliases spread over fragments',
    () =>
      `${assets(times(10, (at) => `...F${at}`))} ${times(10, (f) => `fragment F${f} on Asset { ${times(10, (at) => `f${f}a${at}: title`)} }`)}`,
  ],
  ['fragments that double thirty times', () => `${assets('...F0')} ${doubling(30, 'Asset', 'title')}`],
  [
    'fragments that double thirty times over introspection',
    () => `{ __schema { types { ...F0 } } } ${doubling(30, '__Type', 'name')}`,
  ],
  ['a fragment that spreads itself', () => `${assets('...F')} fragment F on Asset { title ...F }`],
  [
    'fragments in a long circle',
    () => `{ ...F0 } ${times(50, (at) => `fragment F${at} on Query { ...F${(at + 1) % 50} }`)}`,
  ],
  ['directives by the hundred on one field', () => assets(`title ${'@include(if: true) '.repeat(300)}`)],
  ['unknown directives', () => assets(`title ${'@x '.repeat(900)}`)],
  [
    'lists nested by the thousand in a literal',
    () => `{ assets(clientId: ${'['.repeat(5_000)}${']'.repeat(5_000)}) { nodes { id } } }`,
  ],
  [
    'objects nested by the thousand in a literal',
    () => `{ assets(clientId: ${'{a:'.repeat(5_000)}1${'}'.repeat(5_000)}) { nodes { id } } }`,
  ],
  ['selections nested by the thousand', () => `${'{ a '.repeat(5_000)}${'}'.repeat(5_000)}`],
  ['variables by the hundred', () => `query (${times(400, (at) => `$v${at}: Int`)}) { __typename }`],
  ['operations by the hundred', () => times(400, (at) => `query Q${at} { __typename }`)],
  [
    'the same field by the hundred, with arguments that differ',
    () => `{ ${times(300, (at) => `assets(clientId: "${at}") { nodes { id } }`)} }`,
  ],
  [
    'circular introspection',
    () => `{ __schema { types { ${'fields { type { '.repeat(30)}name${' } }'.repeat(30)} } } }`,
  ],
  [
    'introspection by possible types and interfaces',
    () => `{ __schema { types { ${'possibleTypes { interfaces { '.repeat(20)}name${' } }'.repeat(20)} } } }`,
  ],
];

describe('a bomb', () => {
  it.each(BOMBS)('of %s is refused before anything is read', async (_name, bomb) => {
    const response = await scene.ask({ query: bomb() });
    expect(response.status).toBeLessThan(500);
    expect(codesOf(response).length, response.text.slice(0, 300)).toBeGreaterThan(0);
    expect(codesOf(response)).not.toContain('internal_error');
    expect(response.body.data ?? null).toBeNull();
    expect(scene.statementCount()).toBe(0);
    // The response gives reasons and does not repeat the operation.
    expect(response.text.length).toBeLessThan(100_000);
  });

  it.each([
    ['inline fragments nested by the hundred', () => assets(`${'... { '.repeat(300)}title${' }'.repeat(300)}`)],
    ['a comment of many kilobytes', () => `${assets('title')} # ${'x'.repeat(500_000)}`],
  ])('that only looks like one is answered: %s', async (_name, text) => {
    const response = await scene.ask({ query: text() });
    expect([codesOf(response), response.body.data?.assets.nodes.length]).toEqual([[], 1]);
  });

  it('in variables is refused', async () => {
    const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const body = `{"query":"query ($c: ID!) { assets(clientId: $c) { nodes { id } } }","variables":{"c":${nested}}}`;
    const response = await scene.ask(body);
    expect(response.status).toBeLessThan(500);
    expect(codesOf(response).length).toBeGreaterThan(0);
    expect(scene.statementCount()).toBe(0);
  });

  it('of an endless body is refused while it arrives', async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        // Ends the test if the gateway does not refuse.
        if (sent > 50_000_000) controller.close();
        else controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    const response = await fetch(`${scene.gateway.internalUrl}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${scene.token}`, 'Content-Type': 'application/json' },
      body: endless,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
    const { errors } = (await response.json()) as { errors: { extensions: object }[] };
    expect(errors).toMatchObject([{ extensions: { code: 'payload_too_large' } }]);
    expect(sent).toBeLessThan(50_000_000);
  });

  it('does not affect later requests', async () => {
    const response = await scene.ask({ query: assets('title') });
    expect([codesOf(response), response.body.data.assets.nodes.length]).toEqual([[], 1]);
  });
});
