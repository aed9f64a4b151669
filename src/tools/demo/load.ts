// Tools: the demonstration's data as NDJSON beside this file: a firm, its members, and four clients with what they own.
import { fileURLToPath } from 'node:url';
import type { Environment } from '#core/principal.ts';
import type { Database, Sql } from '#database/database.ts';
import { hasRows, readColumn } from '#database/rows.ts';
import { type ImportCounts, importDirectory } from '../import/import-directory.ts';

const DIRECTORY = fileURLToPath(new URL('./data', import.meta.url));

/** Ids in the data to which access is given. */
export const DEMO_FIRM = 'frm_01GR638KM0J6FFEH15V0EWDKVZ';
export const IMOGEN = 'usr_01GTE6CQM0N1KMENQX4B6T5AN6';
export const ELEANOR = 'usr_01GTE6CQM0ZJEDF1NQEW34DDB1';
export const MATTEO = 'usr_01GTE6CQM0G1TYZSXZWF8D5RDR';
export const KEIKO = 'usr_01GTE6CQM0T7AGXY0GADW7N5DQ';
export const BEAT = 'usr_01GTE6CQM0V3B6ZRF7JYAVDFKX';
/** A collection of Keiko's. */
export const KYOTO_STOREHOUSE = 'col_01GTGRSEM0P7W8BQ9H3DE6PGYE';

export interface DemoClient {
  id: string;
  name: string;
  environment: Environment;
  reporting_currency: string;
  items: number;
}

/**
 * Whether the database has data other than the demonstration's. Its password is public, and one of its users is
 * operations.
 */
export function isForOthers(sql: Sql): Promise<boolean> {
  return hasRows(sql, {
    text: `select 1 where not exists (select from firms where id = $1)
      and (exists (select from firms) or exists (select from users))`,
    values: [DEMO_FIRM],
  });
}

/** Loads the data, and resets changed rows to their original state. */
export function loadDemoData(database: Database, platformPrefix: string): Promise<ImportCounts> {
  return importDirectory(database, { directory: DIRECTORY, platformPrefix });
}

export function listDemoClients(sql: Sql): Promise<DemoClient[]> {
  return sql.query<DemoClient>({
    text: `select u.id, u.name, u.environment, u.reporting_currency,
        (select count(*) from items i where i.client_id = u.id) as items
      from users u where u.id = any($1) order by array_position($1, u.id)`,
    values: [[ELEANOR, MATTEO, KEIKO, BEAT]],
  });
}

/** Registry ids of the client's oldest items. */
export function oldestItems(sql: Sql, clientId: string, count: number): Promise<string[]> {
  const text = 'select registry_id from items where client_id = $1 order by id limit $2';
  return readColumn(sql, { text, values: [clientId, count] });
}
