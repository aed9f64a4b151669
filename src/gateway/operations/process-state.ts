// Gateway: what a process knows of itself and of what it rests on.

export interface ProcessState {
  /** RFC 3339. */
  startedAt: string;
  limiter: {
    /** Since when its state is what it is. */
    since: string;
    /** What made Redis unusable, while it is. */
    reason: string | null;
  };
  /** Access records: not saved yet, and saved since the start. */
  records: { waiting: number; saved: number };
  replicas: { name: string; usable: boolean }[];
}
