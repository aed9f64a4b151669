// Gateway: GraphQL over HTTP for internal tools: every operation afresh, bounded, with scope-auth in its fields.
import { type ExecutionArgs, GraphQLError } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import { ERRORS, type ErrorCode, Refusal } from '#core/errors.ts';
import type { Events } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { clientNamedBy, type Service, viewAs } from '../admission/tools.ts';
import { useBounds } from './bounds.ts';
import { createContext, type Platform } from './context.ts';
import { executeGuarded, type Schemas } from './execute.ts';

export interface ToolRequest {
  service: Service;
  actAsKey: string | undefined;
}

export interface ToolsOptions {
  schemas: Schemas;
  platform: Platform;
  events: Events;
  costLimit: number;
  graphiql: boolean;
}

export type ToolsServer = YogaServerInstance<ToolRequest, object>;

/** The caller is authenticated before; `ToolRequest` says who it is. */
export function createTools({ schemas, platform, events, costLimit, graphiql }: ToolsOptions): ToolsServer {
  return createYoga<ToolRequest>({
    schema: schemas.guarded,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    batching: false,
    graphiql: graphiql && { title: 'Portico', headers: '{"Authorization":"Bearer svc_…","X-Act-As-Key":"key_…"}' },
    logging: false,
    // Kept validations would not see that another request's variables cost more.
    parserAndValidationCache: false,
    maskedErrors: { maskError: (error) => toGraphQLError(error, events) },
    plugins: [useBounds(costLimit), useView(platform), useCodes()],
  }) as ToolsServer;
}

/** Reads the grant that the operation is to be seen through, once, before anything of it is executed. */
function useView(platform: Platform): Plugin {
  return {
    async onExecute({ args, setExecuteFn, setResultAndStopExecution }) {
      const { service, actAsKey } = args.contextValue as unknown as ToolRequest;
      try {
        const clientId = clientNamedBy(args.document, args.operationName, args.variableValues ?? {});
        const view = await viewAs(platform.database, service, actAsKey, clientId);
        const context = await createContext(platform, { ...service, view });
        setExecuteFn((of: ExecutionArgs) => executeGuarded({ ...of, contextValue: context }));
      } catch (error) {
        setResultAndStopExecution({ errors: [toGraphQLError(error, null)] });
      }
    },
  };
}

/** Gives errors of reading and validating an operation our codes, too: masking sees those of executing it only. */
function useCodes(): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (!('errors' in result) || result.errors === undefined) return;
      setResult({ ...result, errors: result.errors.map((error) => toGraphQLError(error, null)) });
    },
  };
}

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(ERRORS, code);

/** The codes of REST in `extensions.code`; nothing internal in the message. */
function toGraphQLError(error: unknown, events: Events | null): GraphQLError {
  const original = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  const of = error instanceof GraphQLError ? { nodes: error.nodes ?? null, path: error.path ?? null } : {};
  // `http` says which status the answer gets; it is not sent.
  const http = error instanceof GraphQLError && 'http' in error.extensions ? { http: error.extensions.http } : {};
  const withCode = (message: string, code: ErrorCode) =>
    new GraphQLError(message, { ...of, extensions: { code, ...http } });
  if (original instanceof Refusal) {
    if (original.status >= 500) events?.emit('failure', { requestId: null, where: 'graphql', error: original.cause });
    return withCode(original.message, original.code);
  }
  if (original instanceof GraphQLError) {
    const { code } = original.extensions;
    if (isErrorCode(code)) return withCode(original.message, code);
    const tooLarge = /^QUERY_/.test(String(code)) || /contains more than \d+ tokens/.test(original.message);
    return withCode(original.message, tooLarge ? 'query_too_complex' : 'invalid_query');
  }
  events?.emit('failure', { requestId: newId('request'), where: 'graphql', error: original });
  return withCode('Something went wrong on our side.', 'internal_error');
}
