// Guarantee: every document that the gateway prepares fits the schema. Gateways do not validate them.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { plantRoutes } from '#rest-facade/plants/plants.ts';
import { readDocument } from '#rest-facade/prepared-documents.ts';
import { routes } from '#rest-facade/routes/index.ts';
import { sharedSchemas } from '#schema/index.ts';
import { requireValid } from '#test/support/valid-document.ts';
import portal from '../../portal/operations.json' with { type: 'json' };

const EXPORTS = new URL('../../src/portal/operations/', import.meta.url);

const documents = new Map([
  ...[...routes, ...plantRoutes].map(({ document }) => [document, readDocument(document)] as const),
  ...readdirSync(EXPORTS).map((file) => [file, readFileSync(new URL(file, EXPORTS), 'utf8')] as const),
  ...Object.entries(portal),
]);

it.each([...documents])('%s', (name, text) => {
  requireValid(name, text, sharedSchemas().unguarded);
  expect(text).toMatch(/^[^{]*\{\s*body: /);
});
