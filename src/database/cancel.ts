// Database: cancels a statement on the server after its caller has given up.
import { connect } from 'node:net';
import type { PoolClient } from 'pg';

const CANCEL_REQUEST = 80_877_102;
const PATIENCE_MS = 5_000;

/** Connection data that the protocol's cancel request needs. `pg` has it without declaring it. */
interface Cancellable {
  host: string;
  port: number;
  processID: number | null;
  secretKey: number | null;
  connection: { stream: { remoteAddress?: string; remotePort?: number } };
}

/** The driver's message for a query that timed out. */
export const GIVEN_UP = 'Query read timeout';

/** Whether the caller gave up on a statement before its answer came. */
export const isGivenUp = (error: unknown): boolean => error instanceof Error && error.message === GIVEN_UP;

/**
 * Sends the request on a separate connection, as the protocol demands, and does not wait. If it cannot be sent, the
 * statement ends by its `statement_timeout`. PostgreSQL accepts cancel requests without encryption, even where sessions
 * need it.
 */
export function cancel(client: PoolClient): void {
  const { host, port, processID, secretKey, connection } = client as unknown as Cancellable;
  if (processID === null || secretKey === null) return;
  // The exact server that runs the statement, because a name may have several addresses.
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
