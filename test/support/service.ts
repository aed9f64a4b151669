// A server that a test owns alone and may therefore mistreat.

export interface Service {
  url: string;
  port: number;
  /** 0 where it runs in a container. */
  readonly pid: number;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
  /** Takes it away without warning; its data stay, as far as they were on disk. */
  kill(): Promise<void>;
  /** It keeps its connections and answers nothing more. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** A new process at the same port with what is on disk: for Redis nothing. */
  restart(): Promise<void>;
}
