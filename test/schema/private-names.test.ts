// The names of P0 properties occur neither in the GraphQL schema nor in the OpenAPI document.

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

/** From the metadata of the entities, because the builders of properties do not expose their options. */
const secret: Property[] = entities.flatMap(({ meta }) =>
  Object.entries(meta.properties as Record<string, { comment?: string }>).flatMap(([name, { comment }]) =>
    tierOf(comment) === 'P0' ? [{ entity: meta.className ?? '', name, column: snake(name) }] : [],
  ),
);

/** Ordinary words, which also name other things: they are compared with the names of fields only. */
const ORDINARY = ['token', 'secret'];
/** Fields with such a name: what is shown to its receiver once, not a share link's token or the secret of the salts. */
const ALLOWED = ['IssuedKey.secret', 'IssuedToken.token'];

let document: OpenApiDocument;
beforeAll(async () => {
  document = await makeApiDocument();
});

it('the entities have P0 properties', () => {
  const found = secret.map(({ entity, name }) => `${entity}.${name}`);
  for (const expected of ['Item.internalNotes', 'Document.filePath', 'ShareLink.token', 'ApiKey.secretHash'])
    expect(found).toContain(expected);
});

it('no field, argument or type of the schema has the name of a P0 property', () => {
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

it('no property, parameter or example of the OpenAPI document has the name of a P0 property', () => {
  const text = JSON.stringify(document);
  for (const { entity, name, column } of secret) {
    if (!ORDINARY.includes(name)) expect(text, `${entity}.${name}`).not.toMatch(new RegExp(`${name}|${column}`, 'i'));
    expect(text, `${entity}.${name}`).not.toMatch(new RegExp(`"(${name}|${column})":`));
  }
});
