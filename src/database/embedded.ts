// Database: the embedded PostgreSQL (PGlite), served on a Unix socket so that everybody, this process included,
// reaches it with the ordinary driver, and other commands work beside a running server.
import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { SharedEngine } from './embedded-engine.ts';
import { lockDirectory } from './embedded-lock.ts';

export interface EmbeddedServer {
  /** Connection URL for the ordinary driver. */
  url: string;
  /** True where another process runs the server and this one is its guest. */
  guest: boolean;
  /** Settles once the server has crashed, with the reason; of a guest never. */
  crashed: Promise<Error>;
  close(): Promise<void>;
}

const MAX_SOCKET_PATH = 100;
const CONNECTIONS = 64;
/** How long a server that is to close waits for guests to finish what they do. */
const GUESTS_MS = 10_000;
/** How long another process may hold the directory without answering: a first start builds the database. */
const OWNER_MS = 60_000;

/**
 * Joins the server that already runs on `dataDirectory`, or starts one there.
 * Fails when a process holds the directory but does not answer.
 */
export async function openEmbedded(dataDirectory: string): Promise<EmbeddedServer> {
  const directory = resolve(dataDirectory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const socket = socketPath(directory);
  const url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(dirname(socket))}`;
  const deadline = Date.now() + OWNER_MS;
  for (;;) {
    if (await answers(socket)) return { url, guest: true, crashed: new Promise(() => {}), close: async () => {} };
    // Asked again each time: an owner that was about to end serves nobody any more, and then the directory is free.
    const release = lockDirectory(directory);
    if (release !== null) return { url, guest: false, ...(await startServer(directory, socket, release)) };
    if (Date.now() > deadline) throw new Error(`${directory} is held by another process that does not answer`);
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

/** Serves the directory that this process holds; what ends the server also lets go of the directory. */
async function startServer(
  directory: string,
  socket: string,
  release: () => void,
): Promise<Pick<EmbeddedServer, 'crashed' | 'close'>> {
  // What was opened is closed in reverse, also after a failure half-way.
  await using opened = new AsyncDisposableStack();
  opened.defer(release);
  await rm(socket, { force: true });
  await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
  const engine = await SharedEngine.open(join(directory, 'postgres'));
  opened.defer(() => engine.close());
  const server = new PGLiteSocketServer({ db: engine, path: socket, maxConnections: CONNECTIONS });
  await server.start();
  opened.defer(() => server.stop());
  opened.defer(() => untilAlone(server));
  // Nobody is answered any more: connections that end say so at once.
  const crashed = engine.crashed.then(async (error) => {
    await server.stop();
    return error;
  });
  const running = opened.move();
  return { crashed, close: () => running.disposeAsync() };
}

/** Socket paths are short by law of the kernel: a deep directory gets a stand-in under the temporary directory. */
function socketPath(directory: string): string {
  const name = '.s.PGSQL.5432';
  const inside = join(directory, name);
  if (inside.length <= MAX_SOCKET_PATH) return inside;
  const digest = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  return join(tmpdir(), `portico-${digest}`, name);
}

function answers(socket: string): Promise<boolean> {
  return new Promise((done) => {
    const probe = createConnection(socket);
    probe.once('connect', () => {
      probe.destroy();
      done(true);
    });
    probe.once('error', () => done(false));
  });
}

/** The own process's connections are closed by now: what is left are other commands, and those are brief. */
async function untilAlone(server: PGLiteSocketServer): Promise<void> {
  const deadline = Date.now() + GUESTS_MS;
  while (server.getStats().activeConnections > 0 && Date.now() < deadline)
    await new Promise((wake) => setTimeout(wake, 20));
}
