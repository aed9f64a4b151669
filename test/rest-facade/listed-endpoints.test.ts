// Each endpoint of area A can be chosen in the portal's two lists of calls: the firm's activity and the client's access
// record.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { routes } from '#rest-facade/routes/index.ts';

it.each(['firm/activity/call-list.tsx', 'client/plain-words.ts'])('%s names every endpoint', (file) => {
  const text = readFileSync(new URL(`../../portal/src/pages/${file}`, import.meta.url), 'utf8');
  const named = [...text.matchAll(/'(GET \/[^']*)'/g)].map(([, endpoint]) => endpoint);
  expect(named.sort()).toEqual(routes.map(({ path }) => `GET ${path}`).sort());
});
