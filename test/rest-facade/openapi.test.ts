// The OpenAPI document is valid and complete, and its examples and the served responses match its schemas.

import { Validator } from '@seriousme/openapi-schema-validator';
import { isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { REMEDIES } from '#core/remedies.ts';
import { SCOPES, type Scope, scopeSet } from '#core/scopes.ts';
import { readReference } from '#repositories/reference.ts';
import type { JsonSchema } from '#rest-facade/openapi/json-schema.ts';
import { refinements } from '#rest-facade/openapi/refinements.ts';
import { describeApi, type OpenApiDocument } from '#rest-facade/openapi.ts';
import { plantRoutes } from '#rest-facade/plants/plants.ts';
import { routes } from '#rest-facade/routes/index.ts';
import { sharedSchemas } from '#schema/index.ts';
import { faultsOf, resolved } from '#test/support/api-document.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { call, furnish, makeClient, makeFirm, makeGrant, makeItem, makeKey } from '#test/support/scenario.ts';
import { sceneOver } from '#test/tools/import/scene.ts';
import type { Version } from '#versions/change.ts';

/** Every code that a partner may receive. */
const CODES = [
  'route_not_found method_not_allowed invalid_api_key expired_api_key rate_limit_exceeded missing_version',
  'unsupported_version unknown_parameter missing_parameter invalid_parameter plan_inactive no_active_grant',
  'grant_expired grant_revoked insufficient_scope asset_not_found asset_not_in_grant internal_error',
  'service_unavailable malformed_request headers_too_large uri_too_long payload_too_large request_timeout',
].flatMap((line) => line.split(' '));

let gateway: TestGateway;
let document: OpenApiDocument;
beforeAll(async () => {
  gateway = await startGateway();
  document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as OpenApiDocument;
});
afterAll(() => gateway?.stop());

interface Content {
  schema: JsonSchema;
  examples: Record<string, { value: unknown }>;
}

/** Every body in the document: of requests, of responses and of shared responses. */
function contents(): { where: string; content: Content }[] {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ where: `${method} ${path}`, operation })),
  );
  const bodies = operations.flatMap(({ where, operation }) => {
    const responses = Object.entries(operation.responses as Record<string, JsonSchema>);
    const request = operation.requestBody === undefined ? [] : [['request', operation.requestBody] as const];
    return [...request, ...responses].map(([name, holder]) => ({
      where: `${where} ${name}`,
      holder: holder as JsonSchema,
    }));
  });
  const shared = Object.entries(document.components.responses ?? {}).map(([where, holder]) => ({ where, holder }));
  return [...bodies, ...shared].flatMap(({ where, holder }) => {
    const content = (holder.content as Record<string, Content> | undefined)?.['application/json'];
    return content === undefined ? [] : [{ where, content }];
  });
}

describe('the document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  });

  it('has no dangling references', () => {
    const text = JSON.stringify(document);
    const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference));
    const dangling = [...references].filter(($ref) => Object.keys(resolved(document, { $ref })).length === 0);
    expect(dangling).toEqual([]);
  });

  it('has every route, and HEAD for each GET', () => {
    const served = [
      ...routes.flatMap(({ path }) => [`get ${path}`, `head ${path}`]),
      ...plantRoutes.flatMap(({ method, path }) =>
        method === 'GET' ? [`get ${path}`, `head ${path}`] : [`${method.toLowerCase()} ${path}`],
      ),
    ];
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(described.toSorted()).toEqual(served.toSorted());
  });

  it('lists all headers of refusals of GET for those of HEAD', () => {
    const headersOf = (response: JsonSchema = {}) => Object.keys(resolved(document, response).headers as object);
    for (const [path, { get, head }] of Object.entries(document.paths)) {
      if (get === undefined || head === undefined) continue;
      const refusals = Object.entries(get.responses as Record<string, JsonSchema>)
        .filter(([status]) => status === 'default' || Number(status) >= 400)
        .flatMap(([, response]) => headersOf(response));
      const { default: refused } = head.responses as Record<string, JsonSchema>;
      expect(headersOf(refused).toSorted(), path).toEqual([...new Set(refusals)].toSorted());
    }
  });

  it('has an example for every body, and each matches its schema', () => {
    for (const { where, content } of contents()) {
      const examples = Object.entries(content.examples);
      expect(examples.length, where).toBeGreaterThan(0);
      for (const [name, { value }] of examples)
        expect(faultsOf(document, content.schema, value), `${where} ${name}`).toEqual([]);
    }
  });

  it('shows every field of every body in an example', () => {
    const shown = new Set<string>();
    for (const { content } of contents()) collectNames(Object.values(content.examples), shown);
    const { CategoryFields: _, ...schemas } = document.components.schemas ?? {};
    const named = Object.values(schemas).flatMap(({ properties = {} }) => Object.keys(properties as object));
    expect(named.filter((name) => !shown.has(name))).toEqual([]);
  });

  it('has examples of parameters and headers that match their schemas', () => {
    const { parameters = {}, headers = {} } = document.components;
    for (const [name, { schema, example }] of Object.entries({ ...parameters, ...headers })) {
      expect(example, name).toBeDefined();
      expect(faultsOf(document, schema as JsonSchema, example), name).toEqual([]);
    }
  });

  it('shows the fields of a scope in an example of an asset all together or not at all', () => {
    const { properties = {} } = document.components.schemas?.Asset ?? {};
    const granted = Object.entries(properties as Record<string, JsonSchema>).filter(
      ([, { description }]) => !String(description).includes('Only with'),
    );
    const groups = Map.groupBy(granted, ([, schema]) => schema['x-scope']);
    expect([...groups.keys()].toSorted()).toEqual([...SCOPES].toSorted());
    const assets = contents().flatMap(({ where, content }) =>
      /^get \/api\/v1\/assets(\/\{registry_id\})? 200$/.test(where)
        ? Object.values(content.examples).flatMap(({ value }) => (value as { data: object | object[] }).data)
        : [],
    );
    expect(assets.length).toBeGreaterThan(3);
    const partial = assets.flatMap((asset) =>
      [...groups.values()].flatMap((fields) => {
        const shown = fields.map(([name]) => name).filter((name) => name in asset);
        return shown.length === 0 || shown.length === fields.length ? [] : [shown];
      }),
    );
    expect(partial).toEqual([]);
  });

  it('shows the completeness of the documents that it shows', async () => {
    const reference = await readReference(gateway.database);
    const { recommendedDocuments = [] } = reference.categories.find(({ code }) => code === 'WT') ?? {};
    const example = (path: string, name: string) =>
      contents().find(({ where }) => where === `get ${path} 200`)?.content.examples[name]?.value as JsonSchema;
    const listed = example('/api/v1/assets/{registry_id}/documents', 'documents');
    const { documentation, documents } = example('/api/v1/assets/{registry_id}', 'everything').data as JsonSchema;
    for (const [shown, completeness] of [
      [listed.data, listed.completeness],
      [documents, documentation],
    ] as [{ type: string }[], { score: number; present: string[]; missing: string[] }][]) {
      const types = shown.map(({ type }) => type);
      expect(completeness.present).toEqual(recommendedDocuments.filter((type) => types.includes(type)).sort());
      expect(completeness.missing).toEqual(recommendedDocuments.filter((type) => !types.includes(type)).sort());
      expect(completeness.score).toBe(Math.floor((100 * completeness.present.length) / recommendedDocuments.length));
    }
  });

  it('shows cursors as sealed text', () => {
    const pages = contents().flatMap(({ content }) =>
      Object.values(content.examples).flatMap(
        ({ value }) => (value as { pagination?: { next_cursor: string | null } }).pagination ?? [],
      ),
    );
    const shown = [document.components.parameters?.cursor?.example, ...pages.map((one) => one.next_cursor)];
    const cursors = shown.filter((cursor) => cursor !== null);
    expect(cursors.length).toBeGreaterThan(1);
    for (const cursor of cursors) {
      expect(cursor).toMatch(/^[\w-]{38,}$/);
      expect(() => JSON.parse(Buffer.from(cursor as string, 'base64url').toString())).toThrow();
    }
  });

  it('shows every error code in an example and in the description', () => {
    const examples = contents().flatMap(({ content }) => Object.keys(content.examples));
    expect(CODES.filter((code) => !examples.includes(code))).toEqual([]);
    expect(CODES.filter((code) => !document.info.description.includes(`\`${code}\``))).toEqual([]);
    expect(CODES.filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([]);
  });

  it('says what to do when a delta walk cannot be continued', () => {
    const [, section = ''] = document.info.description.split('## Delta sync');
    const [text = ''] = section.split('\n## ');
    expect(text).toMatch(/400 `invalid_parameter` with `param: "cursor"`[^.]*\. Then start again at the first page/);
    expect(text).toContain('with the same `updated_since`');
    expect(text).toContain('discard the `sync.as_of`');
    expect(REMEDIES.invalid_parameter).toContain('For cursor');
  });

  it.each([
    ['Rate limits', 'for all its keys together'],
    ['Pagination', 'valuations newest first'],
  ])('says under %s: %s', (heading, words) => {
    const [, section = ''] = document.info.description.split(`## ${heading}\n`);
    expect(section.split('\n## ')[0]).toContain(words);
  });

  it('says how large a request may be', () => {
    const [, section = ''] = document.info.description.split('## Sizes');
    const [text = ''] = section.split('\n## ');
    for (const size of ['8,192 characters', '16,384 bytes', '65,536 bytes']) expect(text).toContain(size);
  });

  it('gives the refusal of a path that cannot be read at every endpoint with 400', () => {
    for (const [path, item] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(item).filter(([name]) => name !== 'head')) {
        const responses = operation.responses as Record<string, JsonSchema>;
        const { content } = resolved(document, responses['400'] ?? {}) as { content: Record<string, Content> };
        expect(Object.keys(content['application/json']?.examples ?? {}), `${method} ${path}`).toContain(
          'malformed_request',
        );
      }
  });

  it('describes `removed` as an optional list that is never null', () => {
    const { properties, required } = document.components.schemas?.ListAssetsResponse ?? {};
    expect((properties as Record<string, JsonSchema>).removed).toMatchObject({ type: 'array' });
    expect((properties as Record<string, JsonSchema>).removed?.description).not.toContain('ull where');
    expect(required).not.toContain('removed');
  });

  it('describes the fields of all categories as one open object', async () => {
    const { categories } = await readReference(gateway.database);
    const { anyOf, type, additionalProperties, properties = {} } = document.components.schemas?.CategoryFields ?? {};
    expect({ anyOf, type, additionalProperties }).toEqual({ type: 'object', additionalProperties: true });
    const names = categories.flatMap(({ fieldSchema }) => Object.keys(fieldSchema.properties as object));
    expect(Object.keys(properties as object)).toEqual([...new Set(names)].sort());
    // No other keyword: a category that does not name the field accepts any value under it.
    expect(properties).toMatchObject({ weight_g: { description: 'In JW, PM: number.' } });
    expect(properties).toMatchObject({ year: { description: 'In AR: string. In BK, CL, CN, MI, VH, WT: integer.' } });
    for (const property of Object.values(properties as object)) expect(Object.keys(property)).toEqual(['description']);
  });

  it('refines only existing fields', async () => {
    const types = sharedSchemas().guarded.getTypeMap();
    const names = Object.keys(refinements(await readReference(gateway.database)));
    const unknown = names.filter((name) => {
      const [typeName = '', field = ''] = name.split('.');
      const type = types[typeName];
      return !isObjectType(type) || type.getFields()[field] === undefined;
    });
    expect(unknown).toEqual([]);
  });
});

function collectNames(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, entry] of Object.entries(value)) {
    names.add(name);
    collectNames(entry, names);
  }
}

describe('responses', () => {
  const scopeSets: (readonly Scope[])[] = [SCOPES, ...SCOPES.map((scope) => [scope])];

  it.each(scopeSets.map((scopes) => [scopes.join(' '), scopes] as const))(
    'match the schemas: %s',
    async (_, scopes) => {
      const { database } = gateway;
      const [key, client] = [await makeKey(database, await makeFirm(database)), await makeClient(database)];
      const bare = { market_value: null, category_fields: null, verification: null, readiness: null };
      const item = await makeItem(database, client);
      await makeItem(database, client, bare);
      await furnish(database, client, item);
      await makeGrant(database, key, client, { scopes: scopeSet(scopes) });

      for (const route of routes) {
        const path = route.path.replace('{registry_id}', item.registryId);
        for (const more of ['', '&include=valuations', '&include=documents', '&updated_since=2020-01-01T00:00:00Z']) {
          const answer = await call(`${gateway.url}${path}?client_id=${client.id}${more}`, key.secret);
          expectDescribed(route.path, answer);
          if (scopes === SCOPES && more === '') expect(answer.status, route.path).toBe(200);
        }
      }
    },
  );

  it('match the schemas where a category has a field of another type under a name that a second one describes', async () => {
    const { database } = gateway;
    const [key, client] = [await makeKey(database, await makeFirm(database)), await makeClient(database)];
    await makeGrant(database, key, client);
    const scene = sceneOver(database);
    const of = (category: string, category_fields: object) => {
      const id = newId('item');
      return { id, client_id: client.id, category, title: 'Piece', category_fields };
    };
    try {
      await scene.load({
        assets: [
          of('JW', { carat: '18k', year: true, signed: 'on the clasp' }),
          of('OT', { weight_g: 'about a pound', vintage: null, vin: ['1', '2'], purity: { of: 'gold' } }),
          of('PM', { purity: 0.9999, carat: null }),
        ],
      });
    } finally {
      await scene.close();
    }
    const list = await call(`${gateway.url}/api/v1/assets?client_id=${client.id}`, key.secret);
    expect(list.body.data).toHaveLength(3);
    expectDescribed('/api/v1/assets', list);
    for (const { registry_id } of list.body.data) {
      const one = await call(`${gateway.url}/api/v1/assets/${registry_id}?client_id=${client.id}`, key.secret);
      expect(one.status).toBe(200);
      expectDescribed('/api/v1/assets/{registry_id}', one);
    }
  });

  /** The body matches the schema of its status, which describes each header that the gateway sets. */
  function expectDescribed(path: string, { status, body, headers }: Awaited<ReturnType<typeof call>>): void {
    const responses = document.paths[path]?.get?.responses as Record<string, JsonSchema>;
    const response = resolved(document, responses[status] ?? {});
    const content = (response.content as Record<string, Content>)['application/json'];
    expect(faultsOf(document, content?.schema ?? {}, body), `${path} ${status}`).toEqual([]);
    const known = Object.keys(response.headers as object).map((name) => name.toLowerCase());
    // In production there is no Server-Timing.
    const ours = [...headers.keys()].filter(
      (name) => !/^(content-|date$|connection$|keep-alive$|transfer-|server-timing$)/.test(name),
    );
    expect(
      ours.filter((name) => !known.includes(name)),
      `${path} ${status}`,
    ).toEqual([]);
  }
});

it('an earlier version is described with its changes applied', async () => {
  const earlier = describeApi({
    schemas: sharedSchemas(),
    reference: await readReference(gateway.database),
    versions: TWO_VERSIONS,
    date: '2026-01-15',
  });
  const operation = earlier.paths['/api/v1/portfolio/summary']?.get as { summary?: string; responses?: object };
  expect(earlier.info.version).toBe('2026-01-15');
  expect(operation.summary).toBe('As it was');
  expect(JSON.stringify(operation.responses)).not.toContain('#/components/schemas/');
  const { valid, errors } = await new Validator().validate(structuredClone(earlier));
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
});

const TWO_VERSIONS: readonly Version[] = [
  { date: '2026-01-15', changes: [], retirement: { deprecated: '2026-06-01', sunset: '2027-06-01' } },
  {
    date: '2026-06-01',
    changes: [
      {
        description: 'The summary is called otherwise.',
        operations: {
          GetPortfolioSummary: { describe: (operation) => ({ ...(operation as object), summary: 'As it was' }) },
        },
      },
    ],
  },
];
