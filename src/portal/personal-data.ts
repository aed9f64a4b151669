// Portal: everything held on the client who is signed in, as a file.
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '#core/errors.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import { limitOperations } from './auth/rate-limits.ts';
import { readAdmitted } from './auth/signed-in.ts';
import type { Portal } from './portal.ts';
import { respond } from './respond.ts';

const PATH = 'personal-data.ndjson';

export function registerPersonalData(app: FastifyInstance, portal: Portal): void {
  app.get(`/portal/${PATH}`, (_request, reply) => respond(portal, reply, PATH, (exchange) => file(portal, exchange)));
}

async function file(portal: Portal, exchange: Exchange): Promise<Answer> {
  const { account, principal } = await readAdmitted(portal, exchange);
  await limitOperations(exchange, account.id);
  // What the platform holds on members belongs to their firm's administration.
  if (principal.kind !== 'client') throw new Refusal('forbidden');
  const stream = Readable.from(portal.personalData(principal));
  // What fails later cuts the file off: it has no last line then.
  stream.on('error', (error) => exchange.fail(error));
  const name = `portico-personal-data-${new Date().toISOString().slice(0, 10)}.ndjson`;
  const headers = {
    'Content-Type': 'application/x-ndjson; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}"`,
  };
  return { status: 200, body: stream, headers };
}
