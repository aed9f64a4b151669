// Gateway: a process's own state and that of its dependencies.

export interface ProcessState {
  /** RFC 3339. */
  startedAt: string;
  limiter: {
    /** When the present state began. */
    since: string;
    /** Why Redis is not usable, while it is not. */
    reason: string | null;
  };
  /** Access records waiting to be saved, and saved since the start. */
  records: { waiting: number; saved: number };
  replicas: { name: string; usable: boolean }[];
}
