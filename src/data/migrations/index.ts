// Data room: the migrations in order. Forward only; a landed one never changes.
import { Migration0001Reference } from './Migration0001Reference.ts';
import { Migration0002Accounts } from './Migration0002Accounts.ts';
import { Migration0003Portfolio } from './Migration0003Portfolio.ts';
import { Migration0004ChangeTracking } from './Migration0004ChangeTracking.ts';

export const migrations = [
  Migration0001Reference,
  Migration0002Accounts,
  Migration0003Portfolio,
  Migration0004ChangeTracking,
].map((migration) => ({ name: migration.name, class: migration }));
