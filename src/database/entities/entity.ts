// Database: defines an entity by its table and the properties, each of which has a privacy tier.
import { defineEntity } from '@mikro-orm/core';

export { p } from '@mikro-orm/core';

export function entity<const Name extends string, const Properties extends Record<string, object>>(
  name: Name,
  tableName: string,
  properties: Properties,
) {
  return defineEntity({ name, tableName, properties });
}
