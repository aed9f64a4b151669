// Portal: generates from `src/operations` the types with which the client calls operations, and the manifest of
// operations that the endpoint accepts.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { codegen } from '@graphql-codegen/core';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import {
  buildSchema,
  concatAST,
  type DefinitionNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  parse,
  print,
  Source,
  separateOperations,
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
  name: string;
  kind: 'Query' | 'Mutation';
  /** The operation with the fragments that it uses. */
  document: DocumentNode;
}

/**
 * The operations and fragments of all files. Throws an error that names the file if they do not fit the schema or break
 * a rule of the endpoint.
 */
function readDocument(schema: GraphQLSchema): DocumentNode {
  const directory = join(here, 'src/operations');
  const files = readdirSync(directory).filter((file) => file.endsWith('.graphql'));
  const all = concatAST(files.map((file) => parse(new Source(readFileSync(join(directory, file), 'utf8'), file))));
  const faults = [...validate(schema, all), ...all.definitions.flatMap(faultOfOperation)];
  if (faults.length > 0) throw new Error(faults.join('\n\n'));
  // In the manifest a document begins with its operation.
  const ofKind = (kind: Kind) => all.definitions.filter((node) => node.kind === kind);
  return { ...all, definitions: [...ofKind(Kind.OPERATION_DEFINITION), ...ofKind(Kind.FRAGMENT_DEFINITION)] };
}

function faultOfOperation(node: DefinitionNode): GraphQLError[] {
  if (node.kind !== Kind.OPERATION_DEFINITION) return [];
  if (node.name === undefined) return [new GraphQLError('An operation has no name.', { nodes: node })];
  const [root, ...others] = node.selectionSet.selections;
  if (root?.kind === Kind.FIELD && root.alias?.value === 'body' && others.length === 0) return [];
  return [new GraphQLError(`${node.name.value} must have one root field, aliased "body".`, { nodes: node })];
}

/** By name. */
function operationsOf(all: DocumentNode): Operation[] {
  const operations = Object.entries(separateOperations(all)).map(([name, document]) => ({
    name,
    kind: getOperationAST(document)?.operation === 'mutation' ? ('Mutation' as const) : ('Query' as const),
    document,
  }));
  return operations.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function manifestOf(operations: readonly Operation[]): string {
  const entries = operations.map(({ name, document }) => [name, print(document)] as const);
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

async function typesOf(
  schema: GraphQLSchema,
  sdl: string,
  all: DocumentNode,
  operations: readonly Operation[],
): Promise<string> {
  const types = await codegen({
    filename: 'operations.ts',
    schema: parse(sdl),
    schemaAst: schema,
    documents: [{ location: 'src/operations', document: all }],
    config: { scalars: SCALARS, strictScalars: true, skipTypename: true, useTypeImports: true },
    plugins: [{ operations: {} }],
    pluginMap: { operations: typescriptOperations },
  });
  const typed = operations.map(({ name, kind }) => {
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
const all = readDocument(schema);
const operations = operationsOf(all);
put('operations.json', manifestOf(operations));
put('src/generated/operations.ts', await typesOf(schema, sdl, all, operations));
