// What is tagged P0 in the data has no name outside it: not in the GraphQL schema, not in the OpenAPI document.

import { isObjectType, printSchema } from 'graphql';
import { beforeAll, expect, it } from 'vitest';
import { entities } from '#database/entities/index.ts';
import { tierOf } from '#database/entities/tier.ts';
import type { OpenApiDocument } from '#rest-facade/openapi.ts';
import { sharedSchemas } from '#schema/index.ts';
import { makeApiDocument } from '#test/support/api-document.ts';

interface Property {
  entity: string;
  name: string;
  column: string;
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A property's builder keeps its options to itself; the entity's metadata has them. */
const secret: Property[] = entities.flatMap(({ meta }) =>
  Object.entries(meta.properties as Record<string, { comment?: string }>).flatMap(([name, { comment }]) =>
    tierOf(comment) === 'P0' ? [{ entity: meta.className ?? '', name, column: snake(name) }] : [],
  ),
);

/** Ordinary words, which stand for other things too: there the shape of the type decides. */
const ORDINARY = ['token', 'secret'];
/** The fields called so: what its receiver is shown once, never a share link's token or the secret of a ledger's salts. */
const ALLOWED = ['IssuedKey.secret', 'IssuedToken.token'];

let document: OpenApiDocument;
beforeAll(async () => {
  document = await makeApiDocument();
});

it('the tags are there to be walked', () => {
  const found = secret.map(({ entity, name }) => `${entity}.${name}`);
  for (const expected of ['Item.internalNotes', 'Document.filePath', 'ShareLink.token', 'ApiKey.secretHash'])
    expect(found).toContain(expected);
});

it('no field, argument or type of the schema is called like one of them', () => {
  const { guarded } = sharedSchemas();
  const sdl = printSchema(guarded);
  for (const { entity, name, column } of secret) {
    if (!ORDINARY.includes(name)) expect(sdl, `${entity}.${name}`).not.toMatch(new RegExp(`${name}|${column}`, 'i'));
  }
  const fields = Object.values(guarded.getTypeMap()).flatMap((type) =>
    isObjectType(type) ? Object.keys(type.getFields()).map((field) => `${type.name}.${field}`) : [],
  );
  const names = secret.flatMap(({ name, column }) => [name, column]);
  const found = fields.filter((field) => names.includes(field.split('.')[1] ?? ''));
  expect(found.filter((field) => !ALLOWED.includes(field))).toEqual([]);
});

it('no property, parameter or example of the OpenAPI document is called like one of them', () => {
  const text = JSON.stringify(document);
  for (const { entity, name, column } of secret) {
    if (!ORDINARY.includes(name)) expect(text, `${entity}.${name}`).not.toMatch(new RegExp(`${name}|${column}`, 'i'));
    expect(text, `${entity}.${name}`).not.toMatch(new RegExp(`"(${name}|${column})":`));
  }
});
