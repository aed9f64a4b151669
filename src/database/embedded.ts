// Database: the embedded PostgreSQL (PGlite), served on a Unix socket so that everybody, this process included,
// reaches it with the ordinary driver, and other commands work beside a running server.
import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type ExecProtocolOptionsStream, PGlite, type QueryOptions, type Results } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { lockDirectory } from './embedded-lock.ts';

export interface EmbeddedServer {
  /** Connection URL for the ordinary driver. */
  url: string;
  /** True where another process runs the server and this one is its guest. */
  guest: boolean;
  close(): Promise<void>;
}

const MAX_SOCKET_PATH = 100;
const CONNECTIONS = 64;
/** How long a server that is to close waits for guests to finish what they do. */
const GUESTS_MS = 10_000;
/** How long another process may hold the directory without answering: a first start builds the database. */
const OWNER_MS = 60_000;

/** Messages of a client after which more of the same statement come: Parse, Bind, Describe, Execute, Close, Flush. */
const MIDWAY: ReadonlySet<number> = new Set(Buffer.from('PBDECH'));
const SYNC = Buffer.from([...Buffer.from('S'), 0, 0, 0, 4]);

/**
 * The socket's server takes one message at a time, of any connection unless there is a transaction. A statement is several
 * messages, and its parts, its unnamed prepared statement and its error are the one session's: it counts as a transaction until its Sync.
 */
class SharedEngine extends PGlite {
  #midway = false;

  override isInTransaction(): boolean {
    return this.#midway || super.isInTransaction();
  }

  override async execProtocolRawStream(message: Uint8Array, options: ExecProtocolOptionsStream): Promise<void> {
    // A startup message begins with its length.
    this.#midway = MIDWAY.has(message[0] ?? 0);
    await super.execProtocolRawStream(message, options);
  }

  /** The server's own rollback of what a lost connection had begun, which is skipped after an error until there is a Sync. */
  override async exec(query: string, options?: QueryOptions): Promise<Results[]> {
    if (this.#midway) await this.execProtocolRaw(SYNC);
    this.#midway = false;
    return super.exec(query, options);
  }
}

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
    if (await answers(socket)) return { url, guest: true, close: async () => {} };
    // Asked again each time: an owner that was about to end serves nobody any more, and then the directory is free.
    const release = lockDirectory(directory);
    if (release !== null) return { url, guest: false, close: await startServer(directory, socket, release) };
    if (Date.now() > deadline) throw new Error(`${directory} is held by another process that does not answer`);
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

/** Serves the directory that this process holds; gives what ends the server and lets go of the directory. */
async function startServer(directory: string, socket: string, release: () => void): Promise<() => Promise<void>> {
  try {
    await rm(socket, { force: true });
    await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
    const engine = new SharedEngine(join(directory, 'postgres'));
    await engine.waitReady;
    const server = new PGLiteSocketServer({ db: engine, path: socket, maxConnections: CONNECTIONS });
    await server.start();
    return async () => {
      await untilAlone(server);
      await server.stop();
      await engine.close();
      await rm(socket, { force: true });
      release();
    };
  } catch (error) {
    release();
    throw error;
  }
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
