// Database: PGlite as many connections share it, which takes nothing for kept that is not, and never goes on after a crash.
import { type ExecProtocolOptionsStream, PGlite, type QueryOptions, type Results } from '@electric-sql/pglite';
import { DURABLE, DurableFiles, makeDatabase } from './embedded-files.ts';

/** Messages of a client after which more of the same statement come: Parse, Bind, Describe, Execute, Close, Flush. */
const MIDWAY: ReadonlySet<number> = new Set(Buffer.from('PBDECH'));
/** Of a client that leaves; the session goes on. */
const TERMINATE = 'X'.charCodeAt(0);
/** A Parse that fails, so that what nobody ended is not kept, and the Sync that ends it. */
const ABANDON = Buffer.from('P\0\0\0\x11\0abandoned\0\0\0S\0\0\0\x04', 'latin1');

/** PostgreSQL's own default. In PGlite nothing runs beside the session, so checkpoints come after its statements. */
const CHECKPOINT_MS = 300_000;
const CHECKPOINT = Buffer.from('Q\0\0\0\x0fcheckpoint\0', 'latin1');

/** How PostgreSQL's own handling of errors leaves what it was at; PGlite goes on after it. */
const LONG_JUMP = 100;
/** The number of the error that a full disk is, in WebAssembly's system interface. */
const NO_SPACE = 51;

function describeFailure(cause: unknown, fatal?: string): Error {
  const { message, errno } = cause as { message?: string; errno?: number };
  const reason = fatal ?? (errno === NO_SPACE ? 'no space left on device' : (message ?? 'it ended'));
  return new Error(`the embedded PostgreSQL failed: ${reason}`, { cause });
}

/**
 * The socket's server takes one message at a time, of any connection unless there is a transaction. A statement is several
 * messages, and its parts, its unnamed prepared statement and its error are the one session's: it counts as a transaction until its Sync.
 */
export class SharedEngine extends PGlite {
  /** Settles once it has crashed; then it answers nothing any more. */
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

  /** Opens the database in `directory`, or makes a new one there. */
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
   * PGlite swallows whatever the program throws, so that after a PANIC, as of a full disk, it goes on with memory in which nothing
   * is sound any more: its next statement may write, or never end. Only a new start, which reads the log, is safe.
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
    // A startup message begins with its length.
    const [type = 0] = message;
    if (type !== TERMINATE) this.#midway = MIDWAY.has(type);
    await super.execProtocolRawStream(message, options);
    if (Date.now() >= this.#nextCheckpoint && !this.isInTransaction()) await this.#checkpoint();
  }

  /** Without any, the log of changes grows for as long as the process lives, and all of it is read after a crash. */
  async #checkpoint(): Promise<void> {
    this.#nextCheckpoint = Date.now() + CHECKPOINT_MS;
    await super.execProtocolRawStream(CHECKPOINT, { onRawData: () => {} });
  }

  /** The server's own rollback of what a lost connection had begun, and of a statement without its Sync, too. */
  override async exec(query: string, options?: QueryOptions): Promise<Results[]> {
    if (this.#midway) await this.execProtocolRaw(ABANDON);
    this.#midway = false;
    return super.exec(query, options);
  }

  /** Nothing is left to be saved after a crash. */
  override async close(): Promise<void> {
    if (this.#error === undefined) await super.close();
  }
}
