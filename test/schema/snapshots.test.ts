// The committed SDL and OpenAPI document match the code.

import { readFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { expect, it } from 'vitest';
import { sharedSchemas } from '#schema/index.ts';
import { makeApiDocument } from '#test/support/api-document.ts';

const committed = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

it('schema/schema.graphql is up to date', () => {
  expect(committed('schema/schema.graphql')).toBe(`${printSchema(lexicographicSortSchema(sharedSchemas().guarded))}\n`);
});

it('rest-facade/openapi.json is up to date', async () => {
  expect(JSON.parse(committed('rest-facade/openapi.json'))).toEqual(
    JSON.parse(JSON.stringify(await makeApiDocument())),
  );
});
