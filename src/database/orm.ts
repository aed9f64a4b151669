// Database: the ORM: entities and migrations. It is large, and loaded where these are used: no request and few commands do.
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { entities } from './entities/index.ts';
import { migrations } from './migrations/index.ts';

/** Has a pool of its own, which connects on first use and is handed to `govern`. */
export function createOrm(url: string, connectPatienceMs: number, govern: (pool: Pool) => void): MikroORM {
  return new MikroORM({
    clientUrl: url,
    entities,
    extensions: [Migrator],
    migrations: { migrationsList: [...migrations], snapshot: false, silent: true },
    pool: { min: 0, max: 2, idleTimeoutMillis: 1_000 },
    driverOptions: {
      connectionString: url,
      connectionTimeoutMillis: connectPatienceMs,
      application_name: 'portico',
      onPoolCreated: govern,
    },
    ensureDatabase: false,
  });
}
