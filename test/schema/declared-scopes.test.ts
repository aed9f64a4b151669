// Every field of the schema declares its scopes as a list that can be checked before execution.

import { isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { SCOPES } from '#core/scopes.ts';
import { declaredScopes } from '#gateway/execution/scopes.ts';
import { builder } from '#schema/builder.ts';
import { buildSchemas } from '#schema/index.ts';

const PEOPLE = ['portal', 'firm', 'firmDeveloper', 'firmAdministrator', 'client', 'consent', 'inside'];
const KNOWN = [...SCOPES, 'portfolio', 'plants', 'tools', ...PEOPLE, 'operations', 'administration'];

it('every field declares known scopes', () => {
  const { guarded } = buildSchemas();
  const types = Object.values(guarded.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith('__'));
  let fields = 0;
  for (const type of types) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const where = `${type.name}.${field.name}`;
      const declared = declaredScopes(type, field);
      expect(declared.length, where).toBeGreaterThan(0);
      expect(
        declared.filter((scope) => !KNOWN.includes(scope)),
        where,
      ).toEqual([]);
      fields++;
    }
  }
  expect(fields).toBeGreaterThan(100);
});

// Must be the last test: the process has one builder, which keeps the field.
it('a field without a declaration is refused', () => {
  builder.queryField('undeclared', (t) => t.string({ resolve: () => 'open to all' }));
  expect(() => buildSchemas()).toThrow('Query.undeclared must declare its scopes');
});
