// REST facade: responses to input that Node cannot parse as a request, or as the rest of one, in our own format.
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, Refusal } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { JSON_TYPE, REQUEST_ID_HEADER } from '#http/exchange.ts';
import { policyOf } from './paths.ts';

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** The newest response of each connection, started or not. */
const responses = new WeakMap<Socket, ServerResponse>();

/** Tracks responses, so that `refuseUnparsable` knows whether one is in progress on the connection. */
export function watchResponses(server: Server): void {
  server.on('request', (request, response) => responses.set(request.socket, response));
  // Node stops parsing, hands over the connection, and by default closes it without a response. The gateway is no proxy.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => {});
    refuseUnparsable(new Error('a tunnel is asked for'), socket as Socket);
  });
}

/** An error of Node's parser. `rawPacket` is a Buffer of the chunk in which it was found. */
type ParserError = Error & { code?: string; rawPacket?: unknown };

/**
 * For Fastify's `clientErrorHandler`. Sends at most one response, and never within another. It counts against no limit,
 * so there are no limiter headers.
 */
export function refuseUnparsable(error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
  const refusal = new Refusal(CODES[error.code ?? ''] ?? 'malformed_request');
  const last = responses.get(socket);
  // The error is in the body of the previous request, which is malformed or did not arrive in time.
  const isBody = last !== undefined && !last.req.complete;
  if (isBody && waits(last)) refuseInTurn(last, () => refuseUnparsable(error, socket));
  else if (last === undefined || (!isBody && last.writableFinished)) refuse(refusal, requestLineIn(error), socket);
  else if (last.headersSent) socket.destroySoon();
  else if (isBody) refuse(refusal, last.req, socket);
  // The previous request is complete, and the connection closes after its response.
  else last.shouldKeepAlive = false;
}

type RequestLine = Pick<IncomingMessage, 'method' | 'url'>;

/** Empty unless the chunk begins with a request line. */
function requestLineIn({ rawPacket }: ParserError): RequestLine {
  const [, method, url] = /^\s*(\S+) (\S+)/.exec(String(rawPacket)) ?? [];
  return { method, url };
}

/** Whether earlier requests on its connection are still unanswered. */
const waits = (response: ServerResponse): boolean => response.socket === null && !response.writableFinished;

/** Responses that are going to be refusals, since the parser may report an error for each further chunk. */
const unparsable = new WeakSet<ServerResponse>();

function refuseInTurn(response: ServerResponse, refuse: () => void): void {
  if (unparsable.has(response)) return;
  unparsable.add(response);
  response.once('socket', refuse);
}

function refuse(refusal: Refusal, { method, url = '/' }: RequestLine, socket: Socket): void {
  const requestId = newId('request');
  const body = policyOf(url).writeError(refusal, requestId);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\nContent-Type: ${JSON_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n${REQUEST_ID_HEADER}: ${requestId}\r\n` +
      `Cache-Control: private, no-store\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\n\r\n${method === 'HEAD' ? '' : body}`,
  );
}
