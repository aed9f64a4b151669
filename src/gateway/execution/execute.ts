// Gateway: executes prepared documents for REST and the portal.
import {
  type DocumentNode,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  type VariableValues,
} from 'graphql';
import type { Disclosure } from '#core/disclosure.ts';
import { Refusal } from '#core/errors.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import type { Principal } from '#core/principal.ts';
import { NO_SCOPES } from '#core/scopes.ts';
import type { StageTimes } from '#core/stages.ts';
import { type Compilable, compilableOf, compiledOperation } from './compile.ts';
import { type Context, createContext, type Platform } from './context.ts';
import { disclosureOf } from './disclosed.ts';
import { writeFragmentsOut } from './fragments.ts';
import { pruneDocument, type RefusedField } from './prune.ts';
import { Run } from './run.ts';
import { type AuthScopeMap, authScopesOf, scopeRefusal, scopeSetName } from './scopes.ts';

/** Two schemas from one builder: with all checks in its fields, and without any. */
export interface Schemas {
  /** Scope-auth on every field: for any operation from outside. */
  readonly guarded: GraphQLSchema;
  /** Without checks: only for documents that were pruned to the caller's scopes. */
  unguarded: GraphQLSchema;
}

/** Result of a prepared document. */
export interface Executed extends Pick<Run, 'endsAt' | 'endsWithDay'> {
  /** Value of the root field `body`. */
  body: unknown;
  /** What the response discloses of the portfolio. */
  disclosure: Disclosure;
}

/** Throws Refusal; `invalid_parameter` for variables that do not match the document's declarations. */
export type Execute = (
  document: PreparedDocument,
  variables: Record<string, unknown>,
  principal: Principal,
  /** Times of the request. */
  times?: StageTimes,
) => Promise<Executed>;

/** One of our documents, with a cache of its pruned forms by set of scopes. */
export interface PreparedDocument {
  name: string;
  /** Parsed at first use. */
  readonly document: DocumentNode;
  pruned: Map<string, Pruned>;
}

/** The part of a document that a set of scopes allows. */
interface Pruned {
  refused: RefusedField[];
  /** Null where nothing is left. */
  left: (Compilable & { operation: OperationDefinitionNode }) | null;
}

/** By schema, then by name and text. All gateways of a process share them. */
const preparedFor = new WeakMap<GraphQLSchema, Map<string, PreparedDocument>>();

/**
 * Prepares one of our documents, whose root field has the alias `body`. It is not validated: a test validates all of
 * them (test/gateway/prepared-documents.test.ts).
 */
export function prepareDocument(name: string, text: string, schema: GraphQLSchema): PreparedDocument {
  const known = getOrInsert(preparedFor, schema, () => new Map());
  return getOrInsert(known, `${name} ${text}`, () => prepare(name, text));
}

function prepare(name: string, text: string): PreparedDocument {
  let document: DocumentNode | undefined;
  return {
    name,
    get document() {
      document ??= writeFragmentsOut(parse(text));
      return document;
    },
    pruned: new Map(),
  };
}

export function createExecute(schemas: Schemas, platform: Platform): Execute {
  return async (prepared, variables, principal, times) => {
    times?.execute(prepared.name);
    const context = createContext(platform, principal, times);
    const { left, refused } = prunedFor(prepared, schemas.unguarded, context);
    for (const { scope, askedBy } of refused) {
      if (askedBy === null || variables[askedBy] === true) throw scopeRefusal(scope, context.view);
    }
    if (left === null) throw new Refusal('insufficient_scope');
    const run = new Run(context, variablesOf(left.operation, variables, schemas.unguarded));
    const compiled = compiledOperation(schemas.unguarded, left, left.operation, run.variables);
    if (compiled === null) throw new Error(`operation ${prepared.name} does not compile`);
    const { body } = (await run.data(compiled.complete)) as { body: unknown };
    times?.enter('represent');
    const disclosure = disclosureOf(
      compiled.requested.get('body'),
      context.carried.get('body'),
      context.view?.scopes ?? NO_SCOPES,
    );
    return { body, disclosure, endsAt: run.endsAt, endsWithDay: run.endsWithDay };
  };
}

function variablesOf(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Record<string, unknown>,
  schema: GraphQLSchema,
): VariableValues {
  const { variableValues, errors } = getVariableValues(schema, variableDefinitions, given);
  if (variableValues !== undefined) return variableValues;
  const [first] = errors;
  throw new Refusal('invalid_parameter', first && { message: first.message });
}

function prunedFor(prepared: PreparedDocument, schema: GraphQLSchema, context: Context): Pruned {
  const makePruned = () => prune(prepared.document, schema, authScopesOf(context));
  return getOrInsert(prepared.pruned, scopeSetName(context), makePruned);
}

function prune(whole: DocumentNode, schema: GraphQLSchema, granted: AuthScopeMap): Pruned {
  const { document, refused } = pruneDocument(whole, schema, granted);
  const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
  return { refused, left: operation ? { ...compilableOf(document), operation } : null };
}
