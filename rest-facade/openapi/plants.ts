// REST facade, OpenAPI: the operations of the plant store.
import type { ErrorCode, RefusalDetails } from '#core/errors.ts';
import { MAX_NAME, MAX_PLANTS, MAX_TAG } from '#core/plant-limits.ts';
import { byName, type Examples } from '../examples.ts';
import { DEFAULT_LIMIT, plantRoutes, WRONG_ID, WRONG_LIMIT } from '../plants/plants.ts';
import type { Tag } from '../tags.ts';
import { codeSamples } from './code-samples.ts';
import { type Described, withHead } from './described.ts';
import { plantErrors } from './errors.ts';
import { plantHeaders } from './headers.ts';
import type { JsonSchema } from './json-schema.ts';

const name = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_NAME,
  description: 'The name of the plant, of any characters but NUL.',
};
const tag = {
  type: 'string',
  maxLength: MAX_TAG,
  description: 'Tag to specify the type, of any characters but NUL.',
};
const int64 = {
  type: 'integer',
  format: 'int64',
  description:
    'Identification number of the plant, written without point or exponent; exact over the whole range of 64 bits, and unique within an account.',
};

export const plantSchemas: Record<string, JsonSchema> = {
  Plant: {
    type: 'object',
    description: 'A plant of the store. `tag` is left out where there is none.',
    required: ['name'],
    properties: { name, tag },
  },
  NewPlant: {
    type: 'object',
    description: 'A plant to be. Members it does not know are ignored.',
    required: ['id', 'name'],
    properties: { id: int64, name, tag },
  },
};

const TAG: Tag = 'Plant store';

const ref = (schema: string) => ({ $ref: `#/components/schemas/${schema}` });

interface Row {
  operation: string;
  summary: string;
  description: string;
  parameters?: JsonSchema[];
  /** Name of the schema. */
  body?: { schema: string; examples: Examples };
  answer: { status: number; description: string; content?: { schema: JsonSchema; examples: Examples } };
  codes: ErrorCode[];
  details?: Partial<Record<ErrorCode, RefusalDetails>>;
}

/** By method and path, as in the route table. */
const ROWS: Record<string, Row> = {
  'GET /plants': {
    operation: 'ListPlants',
    summary: 'List plants',
    description: 'The first plants of the account, in the order of creation. There are no further pages.',
    parameters: [
      {
        name: 'limit',
        in: 'query',
        description: 'Most plants to list.',
        schema: { type: 'integer', minimum: 1, maximum: MAX_PLANTS, default: DEFAULT_LIMIT },
        example: 20,
      },
    ],
    answer: {
      status: 200,
      description: 'The plants.',
      content: {
        schema: { type: 'array', items: ref('Plant') },
        examples: [
          {
            name: 'plants',
            summary: 'Two plants, one without a tag',
            value: [{ name: 'Monstera deliciosa', tag: 'indoor' }, { name: 'Olive' }],
          },
        ],
      },
    },
    codes: ['malformed_request', 'invalid_parameter'],
    details: { invalid_parameter: { message: WRONG_LIMIT } },
  },
  'POST /plants': {
    operation: 'CreatePlant',
    summary: 'Create a plant',
    description: 'Adds a plant to the account. The body is JSON in UTF-8, not compressed.',
    body: {
      schema: 'NewPlant',
      examples: [
        { name: 'plant', summary: 'With a tag', value: { id: 42, name: 'Monstera deliciosa', tag: 'indoor' } },
        { name: 'untagged', summary: 'Without one', value: { id: 43, name: 'Olive' } },
      ],
    },
    answer: {
      status: 200,
      description: 'The plant.',
      content: {
        schema: ref('Plant'),
        examples: [
          {
            name: 'plant',
            summary: 'The plant as it was stored',
            value: { name: 'Monstera deliciosa', tag: 'indoor' },
          },
        ],
      },
    },
    codes: ['unsupported_media_type', 'payload_too_large', 'malformed_request', 'invalid_body', 'already_exists'],
    details: { already_exists: { message: 'There is a plant with the id 42 already.' } },
  },
  'DELETE /plants/{id}': {
    operation: 'DeletePlant',
    summary: 'Delete a plant',
    description: 'Takes a plant out of the account.',
    parameters: [
      {
        name: 'id',
        in: 'path',
        description: 'Identification number of the plant.',
        required: true,
        schema: { type: 'integer', format: 'int64' },
        example: 42,
      },
    ],
    answer: { status: 204, description: 'The plant is gone. No body.' },
    codes: ['malformed_request', 'invalid_parameter', 'plant_not_found'],
    details: { invalid_parameter: { message: WRONG_ID } },
  },
};

export function describePlants(): Described[] {
  return plantRoutes.flatMap(({ method, path }) => {
    const row = ROWS[`${method} ${path}`];
    if (row === undefined) throw new Error(`${method} ${path} is not described`);
    const operation = describeRow(row, method, path);
    return withHead({ path, method: method.toLowerCase(), operation }, 'PlantHeadRefused');
  });
}

function describeRow(row: Row, method: string, path: string): JsonSchema {
  const { operation, summary, description, parameters, body, answer, codes, details = {} } = row;
  const json = (schema: JsonSchema, examples: Examples) => ({
    content: { 'application/json': { schema, examples: byName(examples) } },
  });
  return {
    operationId: operation,
    tags: [TAG],
    summary,
    description,
    security: [{ accessToken: [] }],
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, ...json(ref(body.schema), body.examples) } }),
    responses: {
      [answer.status]: {
        description: answer.description,
        headers: plantHeaders(),
        ...(answer.content === undefined ? {} : json(answer.content.schema, answer.content.examples)),
      },
      ...plantErrors(codes, details),
    },
    'x-codeSamples': codeSamples({
      method,
      target: path.replace('{id}', '42'),
      token: 'ACCESS_TOKEN',
      ...(body === undefined ? {} : { body: body.examples[0].value }),
      answers: answer.content !== undefined,
    }),
  };
}
