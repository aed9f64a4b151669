// Portal: its GraphQL endpoint. A request names an operation of the manifest; the answer is what its field `body` gave.
import type { FastifyInstance } from 'fastify';
import { Refusal } from '#core/errors.ts';
import { limitOperations } from './auth/rate-limits.ts';
import { readObject, requireSameOrigin } from './auth/request-guards.ts';
import { type Answer, json, PortalCall } from './call.ts';
import type { Operations } from './operations.ts';
import { type Portal, readSignedIn } from './portal.ts';

export const ENDPOINT_PATH = '/portal/graphql';

/** A grant may name 10,000 items. */
const MAX_BODY = 524_288;

export function registerEndpoint(app: FastifyInstance, portal: Portal, operations: Operations): void {
  app.post(ENDPOINT_PATH, (request, reply) => {
    const call = new PortalCall(portal.call, request, 'graphql');
    return call.settle(reply, () => serve(portal, operations, call));
  });
}

async function serve(portal: Portal, operations: Operations, call: PortalCall): Promise<Answer> {
  requireSameOrigin(call.request, portal.origin);
  const who = await readSignedIn(portal, call);
  await limitOperations(call, who.account.id);
  const { operation, variables = {} } = await readObject(call.request, MAX_BODY);
  const prepared = typeof operation === 'string' ? operations.get(operation) : undefined;
  if (prepared === undefined) throw new Refusal('unknown_operation', { param: 'operation' });
  call.endpoint = prepared.name;
  if (typeof variables !== 'object' || variables === null || Array.isArray(variables))
    throw new Refusal('invalid_parameter', { param: 'variables', message: '"variables" is an object.' });
  const data = await portal.gateway.execute(prepared, variables as Record<string, unknown>, who.principal);
  return json({ data });
}
