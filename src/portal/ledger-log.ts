// Portal: the ledger: its checkpoint and tiles (C2SP tlog-tiles), which contain only hashes, for everybody; and the
// caller's own entries with proofs, after signing in.
import type { FastifyInstance } from 'fastify';
import { Refusal, refuse } from '#core/errors.ts';
import { isId } from '#core/ids.ts';
import type { Principal } from '#core/principal.ts';
import { parseTimestamp } from '#core/timestamps.ts';
import type { Ledger, PageQuery } from '#gateway/ledger/ledger.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import { attachment } from './attachment.ts';
import { limitReads } from './auth/rate-limits.ts';
import { admitOperation, whileAdmitted } from './auth/signed-in.ts';
import type { Portal } from './portal.ts';
import { json, respond } from './respond.ts';

/** Groups of three digits, all but the last prefixed by x, and the number of hashes if the tile is not full. */
const TILE = /^(entries|\d|[1-5]\d|6[0-3])\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

const FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };
const BRIEFLY = { 'Cache-Control': 'public, max-age=1' };
/** Pages of other origins may read hashes. */
const ANYWHERE = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };

export function registerLedger(app: FastifyInstance, portal: Portal): void {
  const open = (path: string, name: string, work: (exchange: Exchange, rest: string) => Promise<Answer>) =>
    app.get(path, { exposeHeadRoute: true }, (request, reply) =>
      respond(portal, reply, name, async (exchange) => {
        await limitReads(exchange, portal.signIn);
        return work(exchange, (request.params as Record<string, string>)['*'] ?? '');
      }),
    );
  open('/ledger/checkpoint', 'ledger/checkpoint', async () => checkpoint(portal.ledger));
  open('/ledger/tile/*', 'ledger/tile', (_, rest) => tile(portal.ledger, rest));
  app.get('/portal/ledger.json', (_request, reply) =>
    respond(portal, reply, 'ledger.json', (exchange) => page(portal, exchange)),
  );
  app.get('/portal/ledger.ndjson', (_request, reply) =>
    respond(portal, reply, 'ledger.ndjson', (exchange) => file(portal, exchange)),
  );
}

async function checkpoint(ledger: Ledger): Promise<Answer> {
  const note = await ledger.published();
  if (note === null) refuse('resource_not_found', 'The log is still empty.');
  return { status: 200, body: note, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...BRIEFLY, ...ANYWHERE } };
}

async function tile(ledger: Ledger, path: string): Promise<Answer> {
  const [, level = '', index = '', width] = TILE.exec(path) ?? [];
  const number = Number(index.replaceAll(/[x/]/g, ''));
  const count = width === undefined ? 256 : Number(width);
  if (level === '' || !Number.isSafeInteger(number) || (width !== undefined && count > 255))
    refuse('resource_not_found', 'There is no such tile.');
  const bytes =
    level === 'entries' ? await ledger.entries(number, count) : await ledger.tile(Number(level), number, count);
  if (bytes === null) refuse('resource_not_found', 'There is no such tile.');
  return { status: 200, body: bytes, headers: { 'Content-Type': 'application/octet-stream', ...FOREVER, ...ANYWHERE } };
}

/** The subject whose entries the caller may see: clients see their own, members those of their firm's keys. */
function subjectOf(principal: Principal): string {
  if (principal.kind === 'client') return principal.userId;
  if (principal.kind === 'firm_member') return principal.firmId;
  refuse('resource_not_found', 'The log contains no entries about you.');
}

async function page(portal: Portal, exchange: Exchange): Promise<Answer> {
  const principal = await admitOperation(portal, exchange);
  const found = await portal.ledger.page(subjectOf(principal), readQuery(exchange.request.url));
  if (found === null) refuse('resource_not_found', 'The log is still empty.');
  return json(found);
}

/** Throws Refusal `invalid_parameter` or `unknown_parameter`. */
function readQuery(url: string): PageQuery {
  const given = new URL(url, 'http://localhost').searchParams;
  for (const name of given.keys())
    if (!['after', 'size', 'count', 'seen'].includes(name)) throw new Refusal('unknown_parameter', { param: name });
  const after = given.get('after');
  if (after === null) return { after: null, under: null, seen: given.has('seen') ? readCount(given, 'seen') : null };
  const [at = '', id = ''] = after.split(' ');
  const instant = parseTimestamp(at);
  if (instant === null || !isId('request', id)) throw new Refusal('invalid_parameter', { param: 'after' });
  return { after: [instant, id], under: { size: readCount(given, 'size'), count: readCount(given, 'count') } };
}

function readCount(given: URLSearchParams, name: string): number {
  const text = given.get(name) ?? '';
  if (!/^\d{1,15}$/.test(text)) throw new Refusal('invalid_parameter', { param: name });
  return Number(text);
}

async function file(portal: Portal, exchange: Exchange): Promise<Answer> {
  const principal = await admitOperation(portal, exchange);
  const subject = subjectOf(principal);
  // The first page is read before the response starts, so that a refusal can still be sent.
  const first = await portal.ledger.page(subject, { after: null, under: null });
  if (first === null) refuse('resource_not_found', 'The log is still empty.');
  const pieces = whileAdmitted(portal, exchange, principal, portal.ledger.lines(subject, first));
  return attachment(exchange, 'ledger', 'ndjson', pieces);
}
