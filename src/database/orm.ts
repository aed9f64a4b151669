// Database: the ORM, which holds the entities and what migrations are made with. It connects to nothing: statements go over the
// pool of `database.ts`. It is large, and loaded where migrations run.
import { MikroORM } from '@mikro-orm/postgresql';
import { entities } from './entities/index.ts';

export const createOrm = (): MikroORM => new MikroORM({ dbName: 'none', entities });
