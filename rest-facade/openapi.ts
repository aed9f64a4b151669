// REST facade: the OpenAPI document of the portfolio API and the plant store, generated from the definitions that serve
// requests.
import type { Schemas } from '#gateway/execution/execute.ts';
import type { Reference } from '#gateway/reference.ts';
import type { Version } from '#versions/change.ts';
import { VERSIONS } from '#versions/index.ts';
import type { Described } from './openapi/described.ts';
import { asOfVersion } from './openapi/earlier-version.ts';
import { errorSchemas, sharedResponses } from './openapi/errors.ts';
import { headers } from './openapi/headers.ts';
import { introduction } from './openapi/introduction.ts';
import { type JsonSchema, SchemaComponents } from './openapi/json-schema.ts';
import { headerParameters, pathParameters, queryParameter } from './openapi/parameters.ts';
import { describePlants, plantSchemas } from './openapi/plants.ts';
import { describePortfolio } from './openapi/portfolio.ts';
import { categoryFields } from './openapi/refinements.ts';
import { routes } from './routes/index.ts';
import { TAGS } from './tags.ts';

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  tags: readonly { name: string; description: string }[];
  paths: Record<string, Record<string, JsonSchema>>;
  components: Record<string, Record<string, JsonSchema>>;
  [member: string]: unknown;
}

export interface OpenApiSources {
  schemas: Schemas;
  reference: Reference;
  versions?: readonly Version[];
  /** The version to describe; by default the newest. */
  date?: string;
}

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk_…',
    description: 'The portfolio API: an API key of the firm.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'pt_…',
    description: 'The plant store: an access token.',
  },
};

/** Throws if a route, a document or a code has no description. */
export function describeApi({ schemas, reference, versions = VERSIONS, date }: OpenApiSources): OpenApiDocument {
  const dates = versions.map((version) => version.date);
  const version = date ?? dates.at(-1) ?? '';
  const components = new SchemaComponents();
  components.add('CategoryFields', categoryFields(reference));
  const portfolio = describePortfolio({ schemas, reference, components, version });
  const described = asOfVersion(portfolio, version, versions, components.schemas);
  const document = {
    openapi: '3.1.1',
    info: { title: 'Portico', version, description: introduction(reference, versions, version) },
    servers: [{ url: '/', description: 'This deployment' }],
    tags: TAGS,
    paths: pathsOf([...described, ...describePlants()]),
    components: {
      schemas: sorted({ ...components.schemas, ...plantSchemas, ...errorSchemas }),
      parameters: { ...headerParameters(dates, version), ...pathParameters, ...queryParameters(reference) },
      responses: sharedResponses(dates),
      headers,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
  return withPrefix(document, reference.platformPrefix);
}

/** Examples and prose use the default prefix of registry ids. Replaces it by the deployment's. */
function withPrefix(document: OpenApiDocument, prefix: string): OpenApiDocument {
  return JSON.parse(JSON.stringify(document).replaceAll(/\bPTC-/g, `${prefix}-`));
}

function pathsOf(described: readonly Described[]): OpenApiDocument['paths'] {
  const paths: OpenApiDocument['paths'] = {};
  for (const { path, method, operation } of described) paths[path] = { ...paths[path], [method]: operation };
  return paths;
}

function queryParameters(reference: Reference): Record<string, JsonSchema> {
  const distinct = new Map(routes.flatMap(({ parameters }) => parameters.map((one) => [one.name, one])));
  return Object.fromEntries([...distinct].map(([name, one]) => [name, queryParameter(one, reference)]));
}

const sorted = <Value>(values: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(values).sort(([left], [right]) => (left < right ? -1 : 1)));
