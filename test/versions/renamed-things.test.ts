// Each version keeps the names of its parameters and fields when later versions rename them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { makeItem } from '#test/support/scenario.ts';
import type { Query, Version } from '#versions/change.ts';

const OLD = '2026-01-15';
const MIDDLE = '2026-06-01';
const NEW = '2026-09-01';

type Body = Record<string, unknown>;

function renameKey(object: Body, from: string, to: string): Body {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key === from ? to : key, value]));
}

const renameParameter =
  (from: string, to: string) =>
  (query: Query): Query =>
    new Map([...query].map(([name, values]) => [name === from ? to : name, values]));

const inList = (from: string, to: string) => (body: unknown) => {
  const { data, ...rest } = body as { data: Body[] };
  return { data: data.map((asset) => renameKey(asset, from, to)), ...rest };
};

// The current names are page_size, min_value and title; they were size, floor and label, then per_page and name.
const versions: Version[] = [
  { date: OLD, changes: [] },
  {
    date: MIDDLE,
    changes: [
      {
        description: 'The parameter `size` is `per_page`, `floor` is `min_value`, the field `label` is `name`.',
        operations: {
          ListAssets: {
            request: (query) => renameParameter('floor', 'min_value')(renameParameter('size', 'per_page')(query)),
            response: inList('name', 'label'),
          },
          GetAsset: {
            response: (body) => ({ data: renameKey((body as { data: Body }).data, 'name', 'label') }),
          },
        },
      },
    ],
  },
  {
    date: NEW,
    changes: [
      {
        description: 'The parameter `per_page` is `page_size`, the field `name` is `title`.',
        operations: {
          ListAssets: { request: renameParameter('per_page', 'page_size'), response: inList('title', 'name') },
          GetAsset: {
            response: (body) => ({ data: renameKey((body as { data: Body }).data, 'title', 'name') }),
          },
        },
      },
    ],
  },
];

const NAMES = [
  [OLD, 'size', 'label'],
  [MIDDLE, 'per_page', 'name'],
  [NEW, 'page_size', 'title'],
] as const;

let gateway: TestGateway;
let partner: Partner;
let registryId: string;

beforeAll(async () => {
  gateway = await startGateway({ versions });
  partner = await makePartner(gateway);
  for (let count = 0; count < 3; count++) ({ registryId } = await makeItem(gateway.database, partner.client));
});
afterAll(() => gateway.stop());

describe.each(NAMES)('a caller of %s', (version, parameter, field) => {
  const others = NAMES.filter(([other]) => other !== version);

  it(`sends ${parameter} and sees ${field}, in lists and in single assets`, async () => {
    const list = await partner.get(`/assets?${parameter}=2`, { version });
    expect(list.status).toBe(200);
    expect(list.headers.get('x-service-version')).toBe(version);
    expect(list.body.data).toHaveLength(2);
    const one = await partner.get(`/assets/${registryId}`, { version });
    for (const asset of [...list.body.data, one.body.data]) {
      expect(asset[field]).toBe('Chronograph 3448');
      for (const [, , other] of others) expect(asset).not.toHaveProperty(other);
    }
  });

  it('walks a list along links with its own names', async () => {
    const list = await partner.get(`/assets?${parameter}=2`, { version });
    const next = /<([^>]*)>; rel="next"/.exec(list.headers.get('link') ?? '')?.[1] ?? '';
    expect(next).toContain(`${parameter}=2`);
    for (const [, other] of others) expect(next).not.toMatch(new RegExp(`[?&]${other}=`));
    const path = next.replace('/api/v1', '').replace(/client_id=[^&]*&/, '');
    expect((await partner.get(path, { version })).body.data).toHaveLength(1);
  });

  it('has an ETag of its own', async () => {
    const tags = await Promise.all(
      NAMES.map(async ([of]) => (await partner.get('/portfolio/summary', { version: of })).headers.get('etag')),
    );
    expect(new Set(tags).size).toBe(3);
  });
});

describe('a refusal', () => {
  it.each(NAMES)('to a caller of %s names the parameter %s', async (version, parameter) => {
    const response = await partner.get(`/assets?${parameter}=0`, { version });
    expectError(response, 400, 'invalid_parameter', parameter);
    expect(response.body.error.message).toMatch(new RegExp(`^${parameter} `));
  });
});

describe('a refusal of contradictory parameters', () => {
  it.each([
    [OLD, 'floor'],
    [NEW, 'min_value'],
  ])('to a caller of %s names the parameter %s', async (version, parameter) => {
    const response = await partner.get(`/assets?${parameter}=2&max_value=1`, { version });
    expectError(response, 400, 'invalid_parameter', parameter);
    expect(response.body.error.message).toBe(`${parameter} is greater than max_value.`);
  });
});

describe('the name of a parameter', () => {
  it('is refused in every version if it is unknown', async () => {
    for (const [version] of NAMES)
      expectError(await partner.get('/assets?colour=1', { version }), 400, 'unknown_parameter', 'colour');
  });

  it('is unknown in the versions after it was replaced', async () => {
    expectError(await partner.get('/assets?size=2', { version: NEW }), 400, 'unknown_parameter', 'size');
    expectError(await partner.get('/assets?per_page=2', { version: NEW }), 400, 'unknown_parameter', 'per_page');
    expectError(await partner.get('/assets?size=2', { version: MIDDLE }), 400, 'unknown_parameter', 'size');
  });
});
