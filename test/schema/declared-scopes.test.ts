// Every field of the schema declares its scopes as a list that can be checked before execution.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { SCOPES } from '#core/scopes.ts';
import { declaredScopes } from '#gateway/execution/scopes.ts';
import { buildSchemas } from '#schema/index.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
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

it('a field without a declaration is refused', async () => {
  // In a process of its own, because the builder keeps the field.
  const script = `
    const { builder } = await import('#schema/builder.ts');
    const { buildSchemas } = await import('#schema/index.ts');
    builder.queryField('undeclared', (t) => t.string({ resolve: () => 'open to all' }));
    buildSchemas();`;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd: root });
  await expect(run).rejects.toThrow('Query.undeclared must declare its scopes');
});
