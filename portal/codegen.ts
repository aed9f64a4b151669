// Portal: generates from `src/operations` the types with which the client calls operations, and the manifest of
// operations that the endpoint accepts.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { codegen } from '@graphql-codegen/core';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import {
  buildSchema,
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  validate,
} from 'graphql';

const here = import.meta.dirname;
const { values: options } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

const SCALARS = {
  ID: 'string',
  Timestamp: 'string',
  Date: 'string',
  Decimal: 'string',
  Int64: 'string',
  JSON: 'unknown',
};

const HEADER = '// Written by portal/codegen.ts from src/operations and the committed schema.\n';

interface Operation {
  file: string;
  name: string;
  node: OperationDefinitionNode;
}

/**
 * All operations of all files by name. Throws an error that names the file if an operation breaks a rule of the
 * endpoint.
 */
function readOperations(schema: GraphQLSchema): Operation[] {
  const directory = join(here, 'src/operations');
  const files = readdirSync(directory).filter((file) => file.endsWith('.graphql'));
  const all = files.flatMap((file) => operationsOf(file, parse(readFileSync(join(directory, file), 'utf8')), schema));
  const names = all.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two operations are called ${twice}.`);
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function operationsOf(file: string, document: DocumentNode, schema: GraphQLSchema): Operation[] {
  return document.definitions.map((node) => {
    if (node.kind !== Kind.OPERATION_DEFINITION) throw new Error(`${file}: only operations, no fragments.`);
    const name = node.name?.value;
    if (name === undefined) throw new Error(`${file}: every operation has a name.`);
    const [root, ...others] = node.selectionSet.selections;
    if (root?.kind !== Kind.FIELD || root.alias?.value !== 'body' || others.length > 0)
      throw new Error(`${file}: ${name} must have one root field, aliased "body".`);
    const [fault] = validate(schema, { kind: Kind.DOCUMENT, definitions: [node] });
    if (fault !== undefined) throw new Error(`${file}: ${name}: ${fault.message}`);
    return { file, name, node };
  });
}

function manifestOf(operations: readonly Operation[]): string {
  const entries = operations.map(({ name, node }) => [name, print(node)] as const);
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

async function typesOf(schema: GraphQLSchema, sdl: string, operations: readonly Operation[]): Promise<string> {
  const types = await codegen({
    filename: 'operations.ts',
    schema: parse(sdl),
    schemaAst: schema,
    documents: operations.map(({ file, node }) => ({
      location: file,
      document: { kind: Kind.DOCUMENT, definitions: [node] },
    })),
    config: { scalars: SCALARS, strictScalars: true, skipTypename: true, useTypeImports: true },
    plugins: [{ operations: {} }],
    pluginMap: { operations: typescriptOperations },
  });
  const typed = operations.map(({ name, node }) => {
    const kind = node.operation === 'mutation' ? 'Mutation' : 'Query';
    const type = `Operation<${name}${kind}['body'], ${name}${kind}Variables>`;
    return `export const ${name} = { name: '${name}' } as ${type};\n`;
  });
  return `${HEADER}import type { Operation } from '../graphql/operation.ts';\n\n${types.trim()}\n\n${typed.join('')}`;
}

function put(path: string, text: string): void {
  const file = join(here, path);
  if (!options.check) {
    writeFileSync(file, text);
    return;
  }
  if (readFileSync(file, 'utf8') === text) return;
  console.error(`portal/${path} is not what src/operations and the schema make; run: npm run portal:codegen`);
  process.exitCode = 1;
}

const sdl = readFileSync(join(here, '../schema/schema.graphql'), 'utf8');
const schema = buildSchema(sdl);
const operations = readOperations(schema);
put('operations.json', manifestOf(operations));
put('src/generated/operations.ts', await typesOf(schema, sdl, operations));
