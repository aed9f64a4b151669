// Gateway: binds functions of repositories to a database.
import type { Database } from '#database/database.ts';

/** Returns the function without its first parameter, the database. */
export const bindDatabase =
  (database: Database) =>
  <Parameters extends unknown[], Answer>(read: (database: Database, ...parameters: Parameters) => Answer) =>
  (...parameters: Parameters): Answer =>
    read(database, ...parameters);
