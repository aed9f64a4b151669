// REST facade, OpenAPI: the operations of the portfolio API, from the route table and the prepared documents.
import type { Schemas } from '#gateway/execution/execute.ts';
import type { Reference } from '#gateway/reference.ts';
import { VERSION_HEADER } from '#versions/negotiate.ts';
import { byName } from '../examples.ts';
import { loadDocument } from '../prepared-documents.ts';
import { routes } from '../routes/index.ts';
import type { Route } from '../routes/route.ts';
import { type BodySources, bodySchema } from './body-schema.ts';
import { codeSamples } from './code-samples.ts';
import { type Described, withHead } from './described.ts';
import { portfolioErrors } from './errors.ts';
import { portfolioHeaders } from './headers.ts';
import type { JsonSchema, SchemaComponents } from './json-schema.ts';
import { refinements } from './refinements.ts';

export interface PortfolioSources {
  schemas: Schemas;
  reference: Reference;
  components: SchemaComponents;
  /** The version described. */
  version: string;
}

export function describePortfolio(sources: PortfolioSources): Described[] {
  return routes.flatMap((route) =>
    withHead({ path: route.path, method: 'get', operation: describeGet(route, sources) }, 'HeadRefused'),
  );
}

function describeGet(route: Route, sources: PortfolioSources): JsonSchema {
  const { operation, tag, summary, description, scope, examples } = route;
  const needs = scope === undefined ? [] : [`Needs the scope \`${scope}\`.`];
  return {
    operationId: operation,
    tags: [tag],
    summary,
    description: [description, ...needs].join(' '),
    security: [{ apiKey: [] }],
    parameters: parameterReferences(route),
    responses: {
      200: {
        description: 'What the grant lets through.',
        headers: portfolioHeaders(route.paged),
        content: {
          'application/json': { schema: responseSchema(route, sources), examples: byName(examples) },
        },
      },
      304: {
        description: 'The representation is the one that `If-None-Match` names. No body.',
        headers: portfolioHeaders(route.paged),
      },
      ...portfolioErrors(namesAsset(route)),
    },
    ...(scope === undefined ? {} : { 'x-scope': scope }),
    'x-codeSamples': codeSamples({
      method: 'GET',
      target: exampleTarget(route),
      token: 'API_KEY',
      headers: { [VERSION_HEADER]: sources.version },
      answers: true,
    }),
  };
}

const namesAsset = ({ path }: Route) => path.includes('{registry_id}');

function parameterReferences(route: Route): JsonSchema[] {
  const names = [
    VERSION_HEADER,
    ...(namesAsset(route) ? ['registry_id'] : []),
    ...route.parameters.map(({ name }) => name),
    'If-None-Match',
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** Values of the reader are variables; other required parameters have their example. */
function exampleTarget({ path, parameters }: Route): string {
  const shown = parameters.filter(({ required }) => required);
  const query = shown.map(({ name, example }) =>
    name === 'client_id' ? 'client_id={CLIENT_ID}' : `${name}=${encodeURIComponent(String(example))}`,
  );
  return `${path.replace('{registry_id}', '{REGISTRY_ID}')}?${query.join('&')}`;
}

function responseSchema(route: Route, { schemas, reference, components }: PortfolioSources): JsonSchema {
  const sources: BodySources = {
    schema: schemas.unguarded,
    components,
    refinements: refinements(reference),
    askedWith: (variable) => askedWith(route, variable),
  };
  const { typeName, schema } = bodySchema(loadDocument(route.document, schemas), sources);
  const name = `${route.operation}Response`;
  if (route.envelope === 'none') return components.add(name, { ...schema, description: route.summary });
  const properties = { data: components.add(typeName, schema) };
  return components.add(name, { type: 'object', description: route.summary, required: ['data'], properties });
}

/** `include=valuations` for the variable `valuations`, `updated_since` for `delta`. */
function askedWith({ operation, parameters }: Route, variable: string): string {
  const parameter = parameters.find(({ variables }) => variable in variables(undefined));
  if (parameter === undefined) throw new Error(`no parameter of ${operation} sets the variable ${variable}`);
  const { name, schema } = parameter;
  const values = (schema.items as { enum?: string[] } | undefined)?.enum ?? [];
  return values.includes(variable) ? `${name}=${variable}` : name;
}
