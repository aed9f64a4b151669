// Database: the embedded PostgreSQL (PGlite), served on a Unix socket so that everybody, this process included,
// reaches it with the ordinary driver, and other commands work beside a running server.
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, realpath, rm, rmdir, stat } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** As the driver expects it. */
const SOCKET = '.s.PGSQL.5432';
/** In bytes; the shortest that systems have is 104, with its end. */
const MAX_SOCKET_PATH = 100;
/** How long a server that is to close waits for guests to finish what they do. */
const GUESTS_MS = 10_000;
/** How long another process may hold the directory without answering: a first start builds the database. */
const OWNER_MS = 60_000;

/**
 * Joins the server that already runs on `dataDirectory`, or starts one there.
 * Fails when a process holds the directory but does not answer.
 */
export async function openEmbedded(dataDirectory: string): Promise<EmbeddedServer> {
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  // One name for it, whichever links led there.
  const directory = await realpath(dataDirectory);
  const deadline = Date.now() + OWNER_MS;
  for (;;) {
    const host = await socketDirectory(directory);
    const url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(host)}`;
    if (await answers(join(host, SOCKET)))
      return { url, guest: true, crashed: new Promise(() => {}), close: async () => {} };
    // Asked again each time: an owner that was about to end serves nobody any more, and then the directory is free.
    const release = lockDirectory(directory);
    if (release !== null) return { url, guest: false, ...(await startServer(directory, release)) };
    if (Date.now() > deadline) throw new Error(`${directory} is held by another process that does not answer`);
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

/** Serves the directory that this process holds; what ends the server also lets go of the directory. */
async function startServer(directory: string, release: () => void): Promise<Pick<EmbeddedServer, 'crashed' | 'close'>> {
  // What was opened is closed in reverse, also after a failure half-way.
  await using opened = new AsyncDisposableStack();
  opened.defer(release);
  // Again: the owner before may have taken it away.
  const host = await socketDirectory(directory);
  if (host !== directory) opened.defer(() => rmdir(host).catch(() => {}));
  const socket = join(host, SOCKET);
  await rm(socket, { force: true });
  const engine = await SharedEngine.open(join(directory, 'postgres'));
  opened.defer(() => engine.close());
  const server = new PGLiteSocketServer({ db: engine, path: socket, maxConnections: Number.POSITIVE_INFINITY });
  await server.start();
  opened.defer(() => server.stop());
  await chmod(socket, 0o600);
  opened.defer(() => untilAlone(server));
  // Nobody is answered any more: connections that end say so at once.
  const crashed = engine.crashed.then(async (error) => {
    await server.stop();
    return error;
  });
  const running = opened.move();
  return { crashed, close: () => running.disposeAsync() };
}

/**
 * Socket paths are short by law of the kernel: a deep directory gets a stand-in under the temporary directory. Others could have made
 * that before, and would be told everything by whoever took their server for this one.
 */
async function socketDirectory(directory: string): Promise<string> {
  if (Buffer.byteLength(join(directory, SOCKET)) <= MAX_SOCKET_PATH) return directory;
  const digest = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  const standIn = join(tmpdir(), `portico-${digest}`);
  await mkdir(standIn, { recursive: true, mode: 0o700 });
  const [{ uid: owner }, { uid, mode }] = await Promise.all([stat(directory), lstat(standIn)]);
  if ((uid !== owner && uid !== process.getuid?.()) || (mode & 0o077) !== 0)
    throw new Error(`${standIn}, where the socket has to be, is not its owner's alone`);
  return standIn;
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
