// Gateway: functions of repositories, asked of one database.
import type { Database } from '#database/database.ts';

/** Gives a function without its first argument, which is the database. */
export const askOf =
  (database: Database) =>
  <Asked extends unknown[], Answer>(read: (database: Database, ...asked: Asked) => Answer) =>
  (...asked: Asked): Answer =>
    read(database, ...asked);
