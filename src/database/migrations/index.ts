// Database: the migrations of this folder in the order of their names. Forward only; a landed one never changes.
import { readdirSync } from 'node:fs';
import type { Migration } from '@mikro-orm/migrations';

export type MigrationClass = new (...parts: ConstructorParameters<typeof Migration>) => Migration;

const names = readdirSync(import.meta.dirname)
  .filter((file) => /^Migration\d{4}\w+\.ts$/.test(file))
  .map((file) => file.replace(/\.ts$/, ''))
  .sort();

export const migrations = await Promise.all(
  names.map(async (name) => {
    const module: Record<string, MigrationClass | undefined> = await import(
      new URL(`${name}.ts`, import.meta.url).href
    );
    const migration = module[name];
    if (migration === undefined) throw new Error(`${name}.ts exports no ${name}`);
    return { name, class: migration };
  }),
);
