// Database: the ORM, with the entities, for making and running migrations. It does not connect: statements use the pool
// of `database.ts`. It is large, and only loaded where migrations run.
import { MikroORM } from '@mikro-orm/postgresql';
import { entities } from './entities/index.ts';

export const createOrm = (): MikroORM => new MikroORM({ dbName: 'none', entities });
