// Data room: the embedded PostgreSQL (PGlite), served on a Unix socket so that everybody, this process included,
// reaches it with the ordinary driver, and other commands work beside a running server.
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

export interface EmbeddedServer {
  /** Connection URL for the ordinary driver. */
  url: string;
  /** True where another process runs the server and this one is its guest. */
  guest: boolean;
  close(): Promise<void>;
}

const LONGEST_SOCKET_PATH = 100;
const CONNECTIONS = 64;

/**
 * Joins the server that already runs on `dataDirectory`, or starts one there.
 * Fails when a process holds the directory but does not answer.
 */
export async function openEmbedded(dataDirectory: string): Promise<EmbeddedServer> {
  const directory = resolve(dataDirectory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const socket = socketPath(directory);
  const url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(dirname(socket))}`;
  if (await answers(socket)) return { url, guest: true, close: async () => {} };

  const release = await holdDirectory(directory);
  if (release === null) {
    await untilAnswers(socket, directory);
    return { url, guest: true, close: async () => {} };
  }
  try {
    await rm(socket, { force: true });
    await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
    const engine = await PGlite.create(join(directory, 'postgres'));
    const server = new PGLiteSocketServer({ db: engine, path: socket, maxConnections: CONNECTIONS });
    await server.start();
    return {
      url,
      guest: false,
      async close() {
        await server.stop();
        await engine.close();
        await rm(socket, { force: true });
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Socket paths are short by law of the kernel: a deep directory gets a stand-in under the temporary directory. */
function socketPath(directory: string): string {
  const name = '.s.PGSQL.5432';
  const inside = join(directory, name);
  if (inside.length <= LONGEST_SOCKET_PATH) return inside;
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

async function untilAnswers(socket: string, directory: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await answers(socket))) {
    if (Date.now() > deadline) throw new Error(`${directory} is held by another process that does not answer`);
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

/** Takes the directory for this process; null where a living process has it. A dead owner's mark is removed. */
async function holdDirectory(directory: string): Promise<(() => Promise<void>) | null> {
  const mark = join(directory, 'owner.pid');
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const file = await open(mark, 'wx', 0o600);
      await file.writeFile(String(process.pid));
      await file.close();
      return () => rm(mark, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const owner = Number(await readFile(mark, 'utf8').catch(() => ''));
      if (owner !== process.pid && owner > 0 && isAlive(owner)) return null;
      await rm(mark, { force: true });
    }
  }
  return null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
