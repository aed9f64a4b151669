// Database: the embedded PostgreSQL (PGlite) on a Unix socket, for the ordinary driver of this process and of commands.
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, realpath, rm, rmdir, stat } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { SharedEngine } from './embedded-engine.ts';
import { lockDirectory } from './embedded-lock.ts';
import { privateDirectory } from './private-directory.ts';

export interface EmbeddedServer {
  /** Connection URL for the driver. */
  url: string;
  /** Whether another process runs the server. */
  guest: boolean;
  /** Settles with the reason once the server has crashed; never for a guest. */
  crashed: Promise<Error>;
  /** Ends connections that are still open after 10 s. Does nothing when called again. */
  close(): Promise<void>;
}

/** The socket's name, as the driver expects it. */
const SOCKET = '.s.PGSQL.5432';
/** In bytes. The lowest maximum among systems is 104, with the terminating zero. */
const MAX_SOCKET_PATH = 100;
/** How long a closing server waits for its guests. */
const GUESTS_MS = 10_000;
/** How long another process may hold the directory without answering: its first start creates the database. */
const OWNER_MS = 60_000;

const databaseIn = (directory: string): string => join(directory, 'postgres');

/** Whether there is a database, so that opening creates none. */
export const hasEmbedded = (dataDirectory: string): boolean => existsSync(databaseIn(dataDirectory));

/** Joins the server on `dataDirectory`, or starts one. Fails when a process holds the directory but does not answer. */
export async function openEmbedded(dataDirectory: string): Promise<EmbeddedServer> {
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  // The same name whichever links lead there.
  const directory = await realpath(dataDirectory);
  const deadline = Date.now() + OWNER_MS;
  for (;;) {
    const host = await socketDirectory(directory);
    const url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(host)}`;
    if (await answers(join(host, SOCKET)))
      return { url, guest: true, crashed: new Promise(() => {}), close: async () => {} };
    // Tried each time: an owner that was stopping leaves the directory free.
    const release = lockDirectory(directory);
    if (release !== null) return { url, guest: false, ...(await startServer(directory, release)) };
    if (Date.now() > deadline) throw new Error(`${directory} is locked by another process that does not answer`);
    await sleep(100);
  }
}

/** Serves the directory locked by this process. Closing the server unlocks the directory. */
async function startServer(directory: string, release: () => void): Promise<Pick<EmbeddedServer, 'crashed' | 'close'>> {
  // Closed in reverse order of opening, also after a failure half-way.
  await using opened = new AsyncDisposableStack();
  opened.defer(release);
  // Repeated, because the previous owner may have removed it.
  const host = await socketDirectory(directory);
  if (host !== directory) opened.defer(() => rmdir(host).catch(() => {}));
  const socket = join(host, SOCKET);
  await rm(socket, { force: true });
  const engine = await SharedEngine.open(databaseIn(directory));
  opened.defer(() => engine.close());
  const server = new PGLiteSocketServer({ db: engine, path: socket, maxConnections: Number.POSITIVE_INFINITY });
  await server.start();
  opened.defer(() => server.stop());
  await chmod(socket, 0o600);
  opened.defer(() => untilAlone(server));
  // Nothing is answered any more, so connections are closed at once.
  const crashed = engine.crashed.then(async (error) => {
    await server.stop();
    return error;
  });
  const running = opened.move();
  return { crashed, close: () => running.disposeAsync() };
}

/**
 * The kernel limits the length of socket paths, so a deep directory gets a substitute in the temporary directory. Its
 * owner would receive everything from clients that mistake their server for this one.
 */
async function socketDirectory(directory: string): Promise<string> {
  if (Buffer.byteLength(join(directory, SOCKET)) <= MAX_SOCKET_PATH) return directory;
  const digest = hash('sha256', directory).slice(0, 16);
  return privateDirectory(`portico-${digest}`, (await stat(directory)).uid);
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

/** This process closes its connections at the same time. The rest belong to other commands, which are brief. */
async function untilAlone(server: PGLiteSocketServer): Promise<void> {
  const deadline = Date.now() + GUESTS_MS;
  while (server.getStats().activeConnections > 0 && Date.now() < deadline) await sleep(20);
}
