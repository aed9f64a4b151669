// Test support: a private server, which a test may kill, freeze and restart.

export interface Service {
  url: string;
  port: number;
  /** 0 for a container. */
  readonly pid: number;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
  /** Kills the server; data that were written to disk are kept. */
  kill(): Promise<void>;
  /** Suspends the server: connections stay open without any answer, until `thaw`. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Kills the server and starts it on the same port with the data on disk, of which Redis has none. */
  restart(): Promise<void>;
}
