// Database: the migrations of this folder in the order of their names. Forward only; a landed migration never changes.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Migration } from '@mikro-orm/migrations';

export type MigrationClass = new (...parts: ConstructorParameters<typeof Migration>) => Migration;

const load = createRequire(import.meta.url);

/** Loads the class only when it is applied: every command needs the list of names, and few need the SQL. */
class Listed {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  get class(): MigrationClass {
    const module: Record<string, MigrationClass | undefined> = load(`./${this.name}.ts`);
    const migration = module[this.name];
    if (migration === undefined) throw new Error(`${this.name}.ts exports no ${this.name}`);
    return migration;
  }
}

export const migrations: readonly { name: string; class: MigrationClass }[] = readdirSync(import.meta.dirname)
  .filter((file) => /^Migration\d{4}\w+\.ts$/.test(file))
  .map((file) => file.replace(/\.ts$/, ''))
  .sort()
  .map((name) => new Listed(name));
