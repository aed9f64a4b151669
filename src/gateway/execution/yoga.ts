// Gateway: GraphQL over HTTP for internal tools: Yoga over the guarded schema, and a fast path for ordinary queries.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
} from 'graphql';
import { createYoga, type Plugin, type YogaInitialContext } from 'graphql-yoga';
import { ERRORS, type ErrorCode, isErrorCode, Refusal } from '#core/errors.ts';
import type { Events } from '#core/events.ts';
import { recordReads } from '../admission/tool-reads.ts';
import { clientNamedBy, readsOf, type ToolRequest, viewFor } from '../admission/tools.ts';
import { judge } from './bounds.ts';
import { type Context, createContext } from './context.ts';
import { type RequestedFields, requestedFields } from './disclosed.ts';
import { fragmentsOf } from './fragments.ts';
import { type OutsideDocuments, openDocuments } from './tool-documents.ts';
import { createFastPath, readText, type ToolsOptions, takesFastPath } from './tools-fast-path.ts';

/**
 * Answers a request of the authenticated caller. The response is only observed, and sent by others. Throws Refusal
 * `malformed_request` where the connection closes before the body is complete.
 */
export type AnswerTool = (
  request: IncomingMessage,
  response: ServerResponse,
  caller: ToolRequest,
) => Promise<ToolAnswer>;

/** The body is JSON unless the headers say otherwise. */
interface ToolAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | ReadableStream | null;
}

/** In a member, because Yoga copies the context: what is found out about the caller must be readable afterwards. */
interface ToolContext {
  caller: ToolRequest;
}

export function createTools(options: ToolsOptions): AnswerTool {
  const { schemas, events, costLimit } = options;
  const documents = openDocuments(schemas.guarded);
  const answerFast = createFastPath(options, documents);
  const yoga = createYoga<ToolContext>({
    schema: schemas.guarded,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    batching: false,
    // No field takes a file.
    multipart: false,
    // Yoga's default would let pages of every site read answers. Our GraphiQL has the same origin.
    cors: false,
    // Yoga's page loads its files from another host. Ours is in src/graphiql.ts.
    graphiql: false,
    logging: false,
    // We cache documents ourselves, and the cost of their variables must be checked each time.
    parserAndValidationCache: false,
    maskedErrors: {
      maskError: (error) =>
        error instanceof SyntaxError
          ? malformed(toGraphQLError(new Refusal('invalid_query', { message: NOT_JSON })))
          : toGraphQLError(error, telling(events, null)),
    },
    plugins: [useReadableBodies(), useDocuments(documents, costLimit), useView(options), useCodes()],
  });
  const byYoga: AnswerTool = async (request, response, caller) => {
    const answer = await yoga.handleNodeRequestAndResponse(request, response, { caller });
    // No answer can be sent. A request that was answered before its body was complete is not malformed.
    if (!request.complete && response.destroyed) throw new Refusal('malformed_request');
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: answer.body };
  };
  return async (request, response, caller) => {
    if (!takesFastPath(request)) return byYoga(request, response, caller);
    const body = await readText(request);
    const answered = await answerFast(body, caller);
    if (answered !== null) return { status: 200, headers: {}, body: answered };
    // Yoga takes a body that was already read from this property.
    return byYoga(Object.assign(request, { body }), response, caller);
  };
}

/** Refuses bodies of a content type that Yoga cannot parse. By default it would only send a status. */
function useReadableBodies(): Plugin {
  return {
    onRequestParse({ requestParser }) {
      if (requestParser !== undefined) return;
      const { message, status } = ERRORS.unsupported_media_type;
      throw new GraphQLError(message, { extensions: { code: 'unsupported_media_type', http: { status } } });
    },
  };
}

/** Parses each document once, and checks it with the variables of each request. */
export function useDocuments(documents: OutsideDocuments, costLimit: number): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn((source: string) => documents.read(source).document);
    },
    onValidate({ context, setValidationFn }) {
      setValidationFn(() => {
        const { query = '', ...request } = (context as YogaInitialContext).params;
        const known = documents.read(query);
        return known.errors.length > 0
          ? known.errors
          : (judge(documents.schema, known, request, costLimit)?.errors ?? []);
      });
    },
  };
}

/** Reads the view of the operation once, before execution. */
function useView({ schemas, platform, findAdmission, events }: ToolsOptions): Plugin {
  return {
    async onExecute({ args, setExecuteFn, setResultAndStopExecution }) {
      const { caller } = args.contextValue as unknown as ToolContext;
      const tell = telling(events, caller.requestId);
      const reads = readsOf(args.document, args.operationName, args.variableValues ?? {});
      const record = ({ data, errors }: ExecutionResult, carried: Context['carried'] = new Map()) => {
        const requested = askedBy(args, schemas.guarded);
        recordReads(events, caller, reads, { requested, carried, data, errors });
      };
      try {
        const view = await viewFor(findAdmission, caller, clientNamedBy(reads));
        const context = createContext(platform, { ...caller.service, view }, caller.times);
        setExecuteFn(async (of: ExecutionArgs) => {
          const { errors, ...executed } = await execute({ ...of, contextValue: context });
          const told = errors?.map((error) => toGraphQLError(error, tell));
          const result = told === undefined ? executed : { ...executed, errors: told };
          record(result, context.carried);
          return result;
        });
      } catch (error) {
        const refused = { errors: [unexecuted(toGraphQLError(error, tell))] };
        record(refused);
        setResultAndStopExecution(refused);
      }
    },
  };
}

/** Empty for an operation that cannot be executed. */
function askedBy(
  { document, operationName, variableValues: given }: ExecutionArgs,
  schema: GraphQLSchema,
): Map<string, RequestedFields> {
  const operation = getOperationAST(document, operationName);
  const { variableValues } = getVariableValues(schema, operation?.variableDefinitions ?? [], given ?? {});
  if (!operation || variableValues === undefined) return new Map();
  return requestedFields(schema, fragmentsOf(document), operation, variableValues);
}

/** Adds our codes to parse and validation errors too, because masking only covers errors of execution. */
function useCodes(): Plugin {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      if (!('errors' in result) || result.errors === undefined) return;
      const errors = result.errors.map((error) => toGraphQLError(error));
      const { caller } = serverContext as unknown as ToolContext;
      caller.errorCode = (errors[0]?.extensions.code as ErrorCode | undefined) ?? null;
      setResult({ ...result, errors });
    },
  };
}

/** In `application/graphql-response+json` an answer without data needs an error status, as for invalid requests. */
function unexecuted({ message, extensions }: GraphQLError): GraphQLError {
  const { status } = ERRORS[extensions.code as ErrorCode];
  const http = { spec: true, status: status < 500 ? 400 : status };
  return new GraphQLError(message, { extensions: { ...extensions, http } });
}

/** Requests that are not well-formed GraphQL over HTTP get 400 in every media type. */
function malformed({ message, extensions }: GraphQLError): GraphQLError {
  const { http = {} } = extensions;
  return new GraphQLError(message, { extensions: { ...extensions, http: { status: 400, ...http, spec: false } } });
}

/** Replaces JSON.parse's own message about variables in a URL or a form. */
const NOT_JSON = '"variables" and "extensions" are JSON objects.';

/** Reports an internal failure. `requestId` is the request's, where it is known. */
const telling = (events: Events, requestId: string | null) => (error: unknown) => {
  events.emit('failure', { requestId, where: 'graphql /graphql', error });
};

const TOO_MANY_FIELDS = 'The operation selects too many fields side by side.';

const MAX_MESSAGE = 500;

/** Messages of the library repeat names and texts of a document in full. */
const brief = (message: string): string =>
  message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE).toWellFormed()}…` : message;

/** Adds REST's codes in `extensions.code`, without internal details in the message. `tell` receives internal failures. */
function toGraphQLError(error: unknown, tell?: (failure: unknown) => void): GraphQLError {
  const original = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  const of = error instanceof GraphQLError ? { nodes: error.nodes ?? null, path: error.path ?? null } : {};
  // `http` sets the status of the response and is not sent.
  const http = error instanceof GraphQLError && 'http' in error.extensions ? { http: error.extensions.http } : {};
  const withCode = (message: string, code: ErrorCode) =>
    new GraphQLError(brief(message), { ...of, extensions: { code, ...http } });
  if (original instanceof Refusal) {
    if (original.status >= 500) tell?.(original.cause);
    return withCode(original.message, original.code);
  }
  if (original instanceof GraphQLError) {
    const { code } = original.extensions;
    if (isErrorCode(code)) return withCode(original.message, code);
    // Yoga's codes.
    if (code === 'BAD_REQUEST') return malformed(withCode(original.message, 'invalid_query'));
    if (code === 'REQUEST_ENTITY_TOO_LARGE') return withCode(ERRORS.payload_too_large.message, 'payload_too_large');
    // The rule about fields that can be merged ends the validation when it has compared too many.
    if (original.message === 'Validation aborted.') return withCode(TOO_MANY_FIELDS, 'query_too_complex');
    const tooLarge = /contains more than \d+ tokens/.test(original.message);
    return withCode(original.message, tooLarge ? 'query_too_complex' : 'invalid_query');
  }
  tell?.(original);
  return withCode(ERRORS.internal_error.message, 'internal_error');
}
