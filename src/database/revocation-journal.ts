// Database: the revocation journal: a file outside the database in which every revocation is recorded before its caller
// gets an answer, so that restoring an older backup does not silently restore access.
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ClientBase } from 'pg';
import { Refusal } from '#core/errors.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import { writeThrough } from './write-through.ts';

/** A row of `revocations` (Migration0017), and a line of the file. */
export interface Revocation {
  id: string;
  seq: number;
  at: string;
  table_name: string;
  row_id: string;
  /** Columns that changed; null where the row was deleted. */
  changed: string[] | null;
  /** Values of some of those columns at the time. */
  terms: Record<string, unknown>;
}

/** The content of a journal file. */
export interface JournalContent {
  /** The deployment whose revocations these are; null where the file does not say. */
  deploymentId: string | null;
  /** In the order of writing. A revocation may occur twice. */
  revocations: Revocation[];
  /** Number of unreadable lines: a write cut off by a crash, or damage. */
  unreadable: number;
}

/** SQLSTATE of the notice by which a session learns of the revocations of a committing transaction. */
const TOLD = 'PRJ01';

/** The file is created at the start only: later a missing one is a fault, as lines before are missing with it. */
const APPEND = constants.O_WRONLY | constants.O_APPEND;

/** Lines of JSON, append-only, written by any number of processes. */
export class RevocationJournal {
  readonly path: string;
  /** Revocations reported to each connection and not yet written to the file. */
  readonly #told = new WeakMap<ClientBase, string[]>();

  private constructor(path: string) {
    this.path = path;
  }

  /** Creates the file if it does not exist. */
  static async open(path: string): Promise<RevocationJournal> {
    await (await open(path, 'a', 0o600)).close();
    await writeThrough(dirname(path));
    return new RevocationJournal(path);
  }

  /**
   * Records the deployment in a journal that names none: a new one, or one with revocations of an unconfirmed database.
   * Throws where the journal is another deployment's, and where the file has other content.
   */
  async begin(deploymentId: string): Promise<void> {
    const { deploymentId: named, revocations, unreadable } = await readJournal(this.path);
    if (named === null && revocations.length === 0 && unreadable > 0)
      throw new Error(`${this.path} is not a revocation journal`);
    if (named === null) await this.#append([JSON.stringify({ deployment: deploymentId })]);
    else if (named !== deploymentId) throw new Error(`${this.path} is the revocation journal of another deployment`);
  }

  /** Listens for the connection's notices. */
  watch(client: ClientBase): void {
    client.on('notice', ({ code, message }) => {
      if (code !== TOLD || message === undefined) return;
      getOrInsert(this.#told, client, () => []).push(message);
    });
  }

  /**
   * Returns the outcome of the statement once the revocations that it reported are written. A failed statement has
   * revoked nothing. Throws Refusal `service_unavailable` where the file cannot be written.
   */
  async settled<Outcome>(client: ClientBase, statement: Promise<Outcome>): Promise<Outcome> {
    let told: string[] | undefined;
    let outcome: Outcome;
    try {
      outcome = await statement;
    } finally {
      told = this.#told.get(client);
      this.#told.delete(client);
    }
    if (told !== undefined)
      await this.#append(told).catch((cause: Error) => {
        const message = `Access has been revoked, but the revocation journal could not be written: ${cause.message}`;
        throw new Refusal('service_unavailable', { message, cause });
      });
    return outcome;
  }

  async append(revocations: readonly Revocation[]): Promise<void> {
    if (revocations.length > 0) await this.#append(revocations.map((one) => JSON.stringify(one)));
  }

  read(): Promise<JournalContent> {
    return readJournal(this.path);
  }

  /** The ids of the revocations after the first `from` bytes, and the end of the last complete line. */
  async idsFrom(from: number): Promise<{ ids: string[]; end: number }> {
    const ids: string[] = [];
    let end = from;
    for await (const read of linesFrom(this.path, from)) {
      ids.push(...read.lines.map(readLine).flatMap((value) => (typeof value?.id === 'string' ? [value.id] : [])));
      end = read.end;
    }
    return { ids, end };
  }

  /** Which file is at the path, and its size. Throws where there is none. */
  async identity(): Promise<{ file: string; size: number }> {
    const { dev, ino, birthtimeMs, size } = await stat(this.path);
    return { file: `${dev}:${ino}:${birthtimeMs}`, size };
  }

  /**
   * One write, so that lines of several processes do not mix. The first newline ends a line that a crash cut off. Opens
   * the file each time: `sed -i` and editors replace it, and lines written to the former file would be lost.
   */
  async #append(lines: readonly string[]): Promise<void> {
    const text = Buffer.from(`\n${lines.join('\n')}\n`);
    const file = await open(this.path, APPEND);
    try {
      const { bytesWritten } = await file.write(text);
      if (bytesWritten < text.length) throw new Error('only a part of it could be written to the disk');
      await file.datasync();
    } finally {
      await file.close();
    }
  }
}

/** Throws where the file does not exist. */
export async function readJournal(path: string): Promise<JournalContent> {
  const content: JournalContent = { deploymentId: null, revocations: [], unreadable: 0 };
  for await (const { lines } of linesFrom(path, 0)) {
    for (const line of lines) {
      if (line === '') continue;
      const value = readLine(line);
      if (typeof value?.deployment === 'string') content.deploymentId ??= value.deployment;
      else if (
        typeof value?.id === 'string' &&
        typeof value.table_name === 'string' &&
        typeof value.row_id === 'string'
      )
        content.revocations.push(value as unknown as Revocation);
      else content.unreadable += 1;
    }
  }
  return content;
}

/** Bytes parsed in one turn, which takes some milliseconds. */
const CHUNK_BYTES = 262_144;

/**
 * The lines after the first `from` bytes, in batches with the position of their end. An unterminated line comes last.
 */
async function* linesFrom(path: string, from: number): AsyncGenerator<{ lines: string[]; end: number }> {
  const file = await open(path, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let end = from;
    let rest = Buffer.alloc(0);
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, end + rest.length);
      if (bytesRead === 0) break;
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      const whole = bytes.lastIndexOf('\n') + 1;
      end += whole;
      rest = bytes.subarray(whole);
      yield { lines: bytes.toString('utf8', 0, whole).split('\n'), end };
    }
    yield { lines: [rest.toString()], end };
  } finally {
    await file.close();
  }
}

function readLine(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
