// Database: PGlite shared by many connections, with durable commits, and stopped for good by a crash.
import { type ExecProtocolOptionsStream, PGlite, type QueryOptions, type Results } from '@electric-sql/pglite';
import { DURABLE, DurableFiles, makeDatabase } from './embedded-files.ts';

/**
 * Types of client messages that more messages of the same statement follow: Parse, Bind, Describe, Execute, Close,
 * Flush.
 */
const MIDWAY: ReadonlySet<number> = new Set(Buffer.from('PBDECH'));
/** Sent by a client that disconnects. The session continues. */
const TERMINATE = 'X'.charCodeAt(0);
/** A Parse that fails, so that an unfinished statement is rolled back, and the Sync that ends it. */
const ABANDON = Buffer.from('P\0\0\0\x11\0abandoned\0\0\0S\0\0\0\x04', 'latin1');

/** PostgreSQL's default. PGlite has no background processes, so checkpoints run after statements. */
const CHECKPOINT_MS = 300_000;
const CHECKPOINT = Buffer.from('Q\0\0\0\x0fcheckpoint\0', 'latin1');

/** Exit status of the long jumps of PostgreSQL's error handling, after which PGlite continues. */
const LONG_JUMP = 100;
/** The WASI error number of a full disk. */
const NO_SPACE = 51;

function describeFailure(cause: unknown, fatal?: string): Error {
  const { message, errno } = cause as { message?: string; errno?: number };
  const reason = fatal ?? (errno === NO_SPACE ? 'no space left on device' : (message ?? 'it ended'));
  return new Error(`the embedded PostgreSQL failed: ${reason}`, { cause });
}

/**
 * The socket server processes one message at a time, from any connection unless a transaction is open. A statement
 * consists of several messages, which share the session's unnamed prepared statement and error state. It therefore
 * counts as a transaction until its Sync.
 */
export class SharedEngine extends PGlite {
  /** Settles once the engine has crashed. It does not answer any more then. */
  readonly crashed: Promise<Error>;
  readonly #crash: (error: Error) => void;
  readonly #fatal: () => string | undefined;
  #error: Error | undefined;
  #midway = false;
  #nextCheckpoint = Date.now() + CHECKPOINT_MS;

  private constructor(directory: string) {
    let fatal: string | undefined;
    super({
      fs: new DurableFiles(directory),
      startParams: [...DURABLE],
      onStderr: (line) => {
        fatal = /\b(?:FATAL|PANIC): +(.+)/.exec(line)?.[1] ?? fatal;
        return false;
      },
    });
    this.#fatal = () => fatal;
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.crashed = promise;
    this.#crash = resolve;
  }

  /** Opens the database in `directory`, or creates one there. */
  static async open(directory: string): Promise<SharedEngine> {
    await makeDatabase(directory).catch((error) => {
      throw describeFailure(error);
    });
    const engine = new SharedEngine(directory);
    try {
      await engine.waitReady;
    } catch (error) {
      throw describeFailure(error, engine.#fatal());
    }
    engine.#watch();
    return engine;
  }

  /**
   * PGlite catches everything that the program throws. After a PANIC, for example from a full disk, it would continue
   * with corrupt memory: its next statement may write, or never end. Only a restart, which replays the log, is safe.
   */
  #watch(): void {
    const { Module: program } = this;
    const run = program._PostgresMainLoopOnce;
    program._PostgresMainLoopOnce = () => {
      try {
        run();
      } catch (error) {
        if ((error as { status?: unknown }).status !== LONG_JUMP) this.#fail(error);
        throw error;
      }
    };
  }

  #fail(cause: unknown): void {
    this.#error ??= describeFailure(cause, this.#fatal());
    this.#crash(this.#error);
  }

  override execProtocolRawSync(message: Uint8Array): Uint8Array {
    if (this.#error !== undefined) throw this.#error;
    try {
      return super.execProtocolRawSync(message);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  override isInTransaction(): boolean {
    return this.#error === undefined && (this.#midway || super.isInTransaction());
  }

  override async execProtocolRawStream(message: Uint8Array, options: ExecProtocolOptionsStream): Promise<void> {
    // A startup message has no type byte and begins with its length.
    const [type = 0] = message;
    if (type !== TERMINATE) this.#midway = MIDWAY.has(type);
    await super.execProtocolRawStream(message, options);
    if (Date.now() >= this.#nextCheckpoint && !this.isInTransaction()) await this.#checkpoint();
  }

  /** Without checkpoints the write-ahead log would only grow, and a restart after a crash would replay all of it. */
  async #checkpoint(): Promise<void> {
    this.#nextCheckpoint = Date.now() + CHECKPOINT_MS;
    await super.execProtocolRawStream(CHECKPOINT, { onRawData: () => {} });
  }

  /** Called by the socket server to roll back the work of a lost connection, including a statement without its Sync. */
  override async exec(query: string, options?: QueryOptions): Promise<Results[]> {
    if (this.#midway) await this.execProtocolRaw(ABANDON);
    this.#midway = false;
    return super.exec(query, options);
  }

  /** After a crash nothing can be saved. */
  override async close(): Promise<void> {
    if (this.#error === undefined) await super.close();
  }
}
