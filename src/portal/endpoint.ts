// Portal: its GraphQL endpoint. A request names an operation of the manifest; the response is the value of its field
// `body`.
import type { FastifyInstance } from 'fastify';
import { WORKS_MS } from '#core/action-limits.ts';
import { Refusal, refuseParameter } from '#core/errors.ts';
import { isJsonObject } from '#core/json-object.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import { readObject, requireSameOrigin } from './auth/request-guards.ts';
import { admitOperation } from './auth/signed-in.ts';
import type { Operations } from './operations.ts';
import type { Portal } from './portal.ts';
import { json, respond } from './respond.ts';

/** A grant may name 10,000 items. */
const MAX_BODY = 524_288;

export function registerEndpoint(app: FastifyInstance, portal: Portal, operations: Operations): void {
  app.post('/portal/graphql', (_request, reply) =>
    respond(portal, reply, 'graphql', (exchange) => serve(portal, operations, exchange)),
  );
}

async function serve(portal: Portal, operations: Operations, exchange: Exchange): Promise<Answer> {
  requireSameOrigin(exchange.request, portal.origin);
  // The body is read first: it may arrive slowly, and meanwhile the session, the role or the time limit may end.
  const { operation, variables = {} } = await readObject(exchange.request, MAX_BODY);
  requireInTime(exchange);
  const answer = () => execute(portal, operations, exchange, operation, variables);
  return UNTIL_HEADER in exchange.request.headers ? portal.people.inTime(WORKS_MS, answer) : answer();
}

async function execute(
  portal: Portal,
  operations: Operations,
  exchange: Exchange,
  operation: unknown,
  variables: unknown,
): Promise<Answer> {
  const principal = await admitOperation(portal, exchange);
  exchange.times.enter('admit');
  const prepared = typeof operation === 'string' ? operations(operation) : undefined;
  if (prepared === undefined) throw new Refusal('unknown_operation', { param: 'operation' });
  exchange.endpoint = prepared.name;
  if (!isJsonObject(variables)) refuseParameter('variables', '"variables" is an object.');
  const { body } = await portal.gateway.execute(prepared, variables, principal, exchange.times);
  return json({ data: body });
}

/**
 * Until when the request may arrive, in Unix milliseconds by our clock. A connection may deliver a request long after
 * the page reported it as failed.
 */
const UNTIL_HEADER = 'x-portico-until';

/** Throws Refusal `request_timeout`. */
function requireInTime({ request }: Exchange): void {
  const until = request.headers[UNTIL_HEADER];
  if (until !== undefined && !(Date.now() <= Number(until))) throw new Refusal('request_timeout');
}
