// Database: tells the server to end a statement that nobody waits for any longer.
import { connect } from 'node:net';
import type { PoolClient } from 'pg';

const CANCEL_REQUEST = 80_877_102;
const PATIENCE_MS = 5_000;

/** What the protocol wants to know of the connection whose statement is to end; `pg` keeps it without declaring it. */
interface Cancellable {
  host: string;
  port: number;
  processID: number | null;
  secretKey: number | null;
  connection: { stream: { remoteAddress?: string; remotePort?: number } };
}

/** What the driver says of a query whose patience is over. */
export const GIVEN_UP = 'Query read timeout';

/** Whether a statement was left before its answer came. */
export const isGivenUp = (error: unknown): boolean => error instanceof Error && error.message === GIVEN_UP;

/**
 * Asks on a connection of its own, as the protocol has it, and waits for nothing: a server that cannot be asked ends the statement
 * by its `statement_timeout`. PostgreSQL takes the request without encryption, whatever it wants of sessions.
 */
export function cancel(client: PoolClient): void {
  const { host, port, processID, secretKey, connection } = client as unknown as Cancellable;
  if (processID === null || secretKey === null) return;
  // The very server that the statement went to: a name may mean several.
  const { remoteAddress = host, remotePort = port } = connection.stream;
  const request = Buffer.alloc(16);
  let at = 0;
  for (const value of [request.length, CANCEL_REQUEST, processID, secretKey]) at = request.writeInt32BE(value, at);
  const socket = remoteAddress.startsWith('/')
    ? connect(`${remoteAddress}/.s.PGSQL.${remotePort}`)
    : connect(remotePort, remoteAddress);
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.on('error', () => {});
  socket.end(request);
}
