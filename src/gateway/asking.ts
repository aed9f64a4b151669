// Gateway: binds functions of repositories to a database.
import type { Database } from '#database/database.ts';

/** Returns the function without its first parameter, the database. */
export const askOf =
  (database: Database) =>
  <Asked extends unknown[], Answer>(read: (database: Database, ...asked: Asked) => Answer) =>
  (...asked: Asked): Answer =>
    read(database, ...asked);
