// Portal: all data held on the signed-in client, as a file.
import type { FastifyInstance } from 'fastify';
import { Refusal } from '#core/errors.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import { attachment } from './attachment.ts';
import { admitOperation, whileAdmitted } from './auth/signed-in.ts';
import type { Portal } from './portal.ts';
import { respond } from './respond.ts';

const PATH = 'personal-data.ndjson';

export function registerPersonalData(app: FastifyInstance, portal: Portal): void {
  app.get(`/portal/${PATH}`, (_request, reply) => respond(portal, reply, PATH, (exchange) => file(portal, exchange)));
}

async function file(portal: Portal, exchange: Exchange): Promise<Answer> {
  const principal = await admitOperation(portal, exchange);
  // Data held on members are the responsibility of their firm's administration.
  if (principal.kind !== 'client') throw new Refusal('forbidden');
  const pieces = whileAdmitted(portal, exchange, principal, portal.personalData(principal));
  return attachment(exchange, 'personal-data', 'ndjson', pieces);
}
