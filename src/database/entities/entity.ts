// Database: defines an entity by its table and the properties, each of which has a privacy tier.
import { defineEntity, type EntitySchema } from '@mikro-orm/core';

export { p } from '@mikro-orm/core';

/** All entities that were defined so far; complete once index.ts is loaded. */
export const entities: EntitySchema[] = [];

export function entity<const Name extends string, const Properties extends Record<string, object>>(
  name: Name,
  tableName: string,
  properties: Properties,
) {
  const defined = defineEntity({ name, tableName, properties });
  entities.push(defined);
  return defined;
}
