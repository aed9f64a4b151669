// Gateway: the one place where GraphQL is executed, for REST, the portal and tools alike.
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute as executeAfresh,
  type GraphQLSchema,
  Kind,
  NoUnusedFragmentsRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { Refusal } from '#core/errors.ts';
import { type Principal, viewOf } from '#core/principal.ts';
import { type Context, createContext, type Platform } from './context.ts';
import { writeFragmentsOut } from './fragments.ts';
import { pruneDocument, type RefusedField, scopeRefusal } from './prune.ts';
import { type AuthScopeMap, authScopesOf, scopeSetName } from './scopes.ts';
import { type EndOfValidity, endOfSelection } from './validity.ts';

/** The schema twice from one builder: with every check in its fields, and without any. */
export interface Schemas {
  /** Scope-auth on every field: whatever operation comes, fresh from outside. */
  readonly guarded: GraphQLSchema;
  /** No checks: only for documents that were pruned to the caller's scopes. */
  unguarded: GraphQLSchema;
}

/** Body of a prepared document: what its root field `body` gave. Throws Refusal. */
export type Execute = (
  document: PreparedDocument,
  variables: Record<string, unknown>,
  principal: Principal,
) => Promise<unknown>;

/** A validated document; its executable forms are kept per set of scopes. */
export interface PreparedDocument {
  name: string;
  document: DocumentNode;
  compiled: Map<string, CompiledDocument>;
}

interface CompiledDocument {
  run: CompiledQuery['query'] | null;
  refused: RefusedField[];
  /** Of the body; null where the clock changes nothing of it. */
  endOfBody: EndOfValidity | null;
}

/** One text of fragments serves several documents. */
const RULES = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule);

/** Parses and validates a document whose root field has the alias `body`. Throws where it does not fit the schema. */
export function prepareDocument(name: string, text: string, schema: GraphQLSchema): PreparedDocument {
  const document = parse(text);
  const faults = validate(schema, document, RULES);
  if (faults.length > 0) throw new Error(`operation ${name}: ${faults.map((fault) => fault.message).join('; ')}`);
  return { name, document: writeFragmentsOut(document), compiled: new Map() };
}

export function createExecute(schemas: Schemas, platform: Platform): Execute {
  return async (prepared, variables, principal) => {
    const context = await createContext(platform, principal);
    const { run, refused } = compiledFor(prepared, schemas.unguarded, context);
    for (const { scope, askedBy } of refused) {
      if (askedBy === null || variables[askedBy] === true) throw scopeRefusal(scope);
    }
    if (run === null) throw new Refusal('insufficient_scope');
    const result = (await run(undefined, context, variables)) as ExecutionResult<{ body: unknown }>;
    if (result.errors !== undefined && result.errors.length > 0)
      throw result.errors[0]?.originalError ?? result.errors[0];
    return result.data?.body;
  };
}

function compiledFor(prepared: PreparedDocument, schema: GraphQLSchema, context: Context): CompiledDocument {
  const name = scopeSetName(context);
  let compiled = prepared.compiled.get(name);
  if (compiled === undefined) {
    compiled = compile(prepared, schema, authScopesOf(context));
    prepared.compiled.set(name, compiled);
  }
  return compiled;
}

function compile(prepared: PreparedDocument, schema: GraphQLSchema, granted: AuthScopeMap): CompiledDocument {
  const { document, refused } = pruneDocument(prepared.document, schema, granted);
  if (document.definitions.length === 0) return { run: null, refused, endOfBody: null };
  // Rows come from the repositories ready for the wire: serialising each leaf again would change nothing.
  const query = compileQuery(schema, document, undefined, { disableLeafSerialization: true });
  if (!isCompiledQuery(query)) throw new Error(`operation ${prepared.name} does not compile`);
  return { run: query.query, refused, endOfBody: endOfDocument(document, schema) };
}

function endOfDocument({ definitions }: DocumentNode, schema: GraphQLSchema): EndOfValidity | null {
  const query = definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const root = schema.getQueryType();
  const end = query && root ? endOfSelection(query.selectionSet, root.name, schema) : null;
  return end && ((body, now) => end({ body }, now));
}

/** The Unix second from which the clock alone may make the body that was executed for this caller another. */
export function endOfValidity(prepared: PreparedDocument, principal: Principal, body: unknown, now: number): number {
  const compiled = prepared.compiled.get(scopeSetName({ principal, view: viewOf(principal) }));
  if (compiled === undefined) throw new Error(`operation ${prepared.name} was not executed for this caller`);
  return compiled.endOfBody?.(body, now) ?? Number.POSITIVE_INFINITY;
}

/** Plain graphql-js over the guarded schema: operations that came from outside, already validated and bounded. */
export function executeGuarded(args: ExecutionArgs & { contextValue: Context }): ReturnType<typeof executeAfresh> {
  return executeAfresh(args);
}
