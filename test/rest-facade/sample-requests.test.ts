// Guarantee: tests that cover all operations omit none: each operation has a sample, and the samples are answered.

import { readdirSync, readFileSync } from 'node:fs';
import { type FieldNode, isObjectType, Kind, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedSchemas } from '#schema/index.ts';
import { MUTATIONS, QUERIES } from '#test/portal-schema/operations-documents.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner } from '#test/support/partner.ts';
import { makePlantCaller } from '#test/support/plants.ts';
import { plantSamples, samplePaths, TOOL_OPERATIONS } from '#test/support/sample-requests.ts';
import { furnish, makeItem } from '#test/support/scenario.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

describe('REST', () => {
  it('each endpoint of area A has samples, and each is answered', async () => {
    const partner = await makePartner(gateway);
    const item = await makeItem(gateway.database, partner.client);
    await furnish(gateway.database, partner.client, item);
    for (const path of samplePaths(item.registryId)) expect((await partner.get(path)).status, path).toBe(200);
  });

  it('each endpoint of the plant store has samples, and each is answered', async () => {
    const { send } = await makePlantCaller(gateway, 'samples');
    for (const { method, path, body } of plantSamples()) {
      const json = body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } };
      const { status } = await send(method, path, json);
      expect(status, `${method} ${path}`).toBe(method === 'DELETE' ? 204 : 200);
    }
  });
});

/** The root fields of the documents, such as `Query.assets`. */
function rootFieldsOf(documents: readonly string[]): Set<string> {
  const fields = documents
    .flatMap((text) => parse(text).definitions)
    .flatMap((definition) => {
      if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
      const type = definition.operation === 'query' ? 'Query' : 'Mutation';
      return definition.selectionSet.selections.map((one) =>
        one.kind === Kind.FIELD ? `${type}.${one.name.value}` : '',
      );
    });
  return new Set(fields);
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const PORTAL_SAMPLES = [...Object.values(QUERIES), ...Object.values(MUTATIONS)];

describe('GraphQL', () => {
  it('each root field of the schema is in a sample of the portal, of the tools, or in a document of REST', () => {
    const { guarded } = sharedSchemas();
    const all = [guarded.getQueryType(), guarded.getMutationType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name}.${field}`),
    );
    const directory = 'rest-facade/operations/';
    const rest = readdirSync(new URL(`../../${directory}`, import.meta.url)).map((name) => read(directory + name));
    const sampled = rootFieldsOf([...PORTAL_SAMPLES, ...TOOL_OPERATIONS, ...rest]);
    expect(all.filter((field) => !sampled.has(field))).toEqual([]);
  });

  it('each field of an object that a sample of the portal reads is in a sample', () => {
    const types = new TypeInfo(sharedSchemas().guarded);
    const [known, sampled] = [new Set<string>(), new Set<string>()];
    const Field = (node: FieldNode) => {
      const type = types.getParentType();
      if (!isObjectType(type) || ['Query', 'Mutation'].includes(type.name)) return;
      for (const name of Object.keys(type.getFields())) known.add(`${type.name}.${name}`);
      sampled.add(`${type.name}.${node.name.value}`);
    };
    for (const text of PORTAL_SAMPLES) visit(parse(text), visitWithTypeInfo(types, { Field }));
    expect([...known.difference(sampled)]).toEqual([]);
  });

  it('each operation of the portal selects root fields that have a sample', () => {
    const sampled = rootFieldsOf(PORTAL_SAMPLES);
    for (const [name, text] of Object.entries(JSON.parse(read('portal/operations.json')) as Record<string, string>))
      expect(
        [...rootFieldsOf([text])].filter((field) => !sampled.has(field)),
        name,
      ).toEqual([]);
  });
});
