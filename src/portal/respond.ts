// Portal: responses of its routes.
import type { FastifyReply } from 'fastify';
import { type Answer, type AreaPolicy, Exchange } from '#http/exchange.ts';
import { errorBody } from '#http/refusals.ts';
import { UNAUTHENTICATED } from './auth/rate-limits.ts';
import type { Portal } from './portal.ts';
import { DATA_HEADERS, secureHeaders } from './security-headers.ts';

/** `https` enables the promise to browsers that the portal stays on HTTPS. */
export function portalPolicy(https: boolean): AreaPolicy {
  return {
    area: 'portal',
    headers: { ...secureHeaders(https), ...DATA_HEADERS },
    unauthenticated: UNAUTHENTICATED,
    // Also for paths that the portal does not serve, as in the portfolio API.
    writeError: errorBody,
  };
}

/** The parts of the portal that a response needs. */
export type Answering = Pick<Portal, 'gateway' | 'policy'>;

/** Responds to a request with the result of the route's function. */
export async function respond(
  { gateway, policy }: Answering,
  reply: FastifyReply,
  endpoint: string,
  work: (exchange: Exchange) => Promise<Answer>,
): Promise<FastifyReply> {
  const exchange = new Exchange(gateway, reply, policy, endpoint);
  await exchange.respond(() => work(exchange));
  return reply;
}

export const json = (value: unknown): Answer => ({ status: 200, body: JSON.stringify(value) });
