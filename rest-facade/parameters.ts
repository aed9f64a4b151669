// REST facade: the kinds of query parameters, each with one JSON Schema that both validates requests and documents the
// API.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { Refusal, refuseParameter } from '#core/errors.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import { parseTimestamp } from '#core/timestamps.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE, MAX_PAGE_SIZE } from '#gateway/paging/paging.ts';
import type { Reference } from '#gateway/reference.ts';
import { CLIENT_ID, CURSOR } from './examples.ts';

export interface Parameter {
  name: string;
  description: string;
  required?: boolean;
  /** JSON Schema of the parsed value (integers as numbers, lists as arrays). */
  schema: { type: 'string' | 'integer' | 'array'; [keyword: string]: unknown };
  example: unknown;
  /** Codes allowed by the deployment's reference rows. */
  codes?: (reference: Reference) => readonly string[];
  /** The operation's variables for the value; `undefined` means not given. */
  variables: (value: unknown) => Record<string, unknown>;
}

const as = (variable: string) => (value: unknown) => ({ [variable]: value ?? null });

const codesOf = (rows: readonly { code: string }[]) => rows.map(({ code }) => code);

const ajv = new Ajv2020({ strict: true, formats: { 'date-time': (text: string) => parseTimestamp(text) !== null } });

const decimal = { type: 'string', pattern: '^\\d{1,20}(\\.\\d{1,20})?$' } as const;
const timestamp = { type: 'string', format: 'date-time' } as const;

export const clientId: Parameter = {
  name: 'client_id',
  description: "The client's user id. A client without a grant for the key and an unknown one are not told apart.",
  required: true,
  schema: { type: 'string', minLength: 1 },
  example: CLIENT_ID,
  variables: as('clientId'),
};

export const category: Parameter = {
  name: 'category',
  description: 'Only items of this category, or of several separated by commas. Needs the scope `registry`.',
  schema: { type: 'array', items: { type: 'string' }, minItems: 1 },
  codes: (reference) => codesOf(reference.categories),
  example: ['WT'],
  variables: as('categories'),
};

export const minValue: Parameter = {
  name: 'min_value',
  description:
    "Least market value, inclusive, in the client's reporting currency; items without one never match. Needs `valuation`.",
  schema: decimal,
  example: '1000',
  variables: as('minValue'),
};

export const maxValue: Parameter = {
  name: 'max_value',
  description:
    "Greatest market value, inclusive, in the client's reporting currency; items without one never match. Needs `valuation`.",
  schema: decimal,
  example: '250000.00',
  variables: as('maxValue'),
};

export const updatedSince: Parameter = {
  name: 'updated_since',
  description:
    'Delta sync: only items that changed after this instant, in the order of change, and what left the view since. Send the `sync.as_of` of the last first page. Needs `registry`.',
  schema: timestamp,
  example: '2026-02-01T00:00:00.000Z',
  variables: (value) => ({
    updatedSince: typeof value === 'string' ? parseTimestamp(value) : null,
    delta: value !== undefined,
  }),
};

export const include: Parameter = {
  name: 'include',
  description:
    'Adds to each asset its `valuations` (the 10 newest; needs the scope `valuation`), its `documents` (all; needs `documentation`), or both, separated by a comma.',
  schema: { type: 'array', items: { type: 'string', enum: ['valuations', 'documents'] }, minItems: 1 },
  example: ['valuations'],
  variables: (value) => {
    const wanted = (value ?? []) as string[];
    return { valuations: wanted.includes('valuations'), documents: wanted.includes('documents') };
  },
};

export const page: Parameter = {
  name: 'page',
  description: 'Page number, from 1. A page past the end is an empty list.',
  schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: 1 },
  example: 1,
  variables: as('page'),
};

export const pageSize: Parameter = {
  name: 'page_size',
  description: 'Rows per page.',
  schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE },
  example: 25,
  variables: as('first'),
};

export const cursor: Parameter = {
  name: 'cursor',
  description:
    'Where to go on: `pagination.next_cursor` of the page before, with the same other parameters. Not together with `page`.',
  schema: { type: 'string' },
  example: CURSOR,
  variables: as('after'),
};

export const source: Parameter = {
  name: 'source',
  description: 'Only valuations of this source.',
  schema: { type: 'string' },
  codes: (reference) => codesOf(reference.valuationSources),
  example: 'appraisal',
  variables: as('source'),
};

export const since: Parameter = {
  name: 'since',
  description: 'Only valuations valued after this instant.',
  schema: timestamp,
  example: '2026-01-01T00:00:00Z',
  variables: (value) => ({ since: typeof value === 'string' ? parseTimestamp(value) : null }),
};

const checks = new Map<Parameter, ValidateFunction>();

const check = (parameter: Parameter): ValidateFunction =>
  getOrInsert(checks, parameter, () => ajv.compile(parameter.schema));

/** Parses the text by the schema's type. Unparsable text stays text, which the schema refuses. */
function fromText(text: string, type: Parameter['schema']['type']): unknown {
  if (type === 'array') return text.split(',');
  return type === 'integer' && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : text;
}

/** Reads the value of one parameter. Throws Refusal `invalid_parameter`. */
function readValue(parameter: Parameter, text: string, reference: Reference): unknown {
  const value = fromText(text, parameter.schema.type);
  const refuse = (reason: string) => refuseParameter(parameter.name, `${parameter.name} ${reason}.`);
  const validate = check(parameter);
  if (!validate(value)) refuse(reasonOf(parameter, validate));
  const codes = parameter.codes?.(reference);
  const unknown = codes === undefined ? undefined : [value].flat().find((code) => !codes.includes(String(code)));
  if (unknown !== undefined) refuse(`is one of ${codes?.join(', ')}`);
  return value;
}

function reasonOf({ schema }: Parameter, validate: ValidateFunction): string {
  const [fault] = validate.errors ?? [];
  if (schema.type === 'integer') return `is a whole number from ${schema.minimum} to ${schema.maximum}`;
  if (fault?.keyword === 'format')
    return 'is an RFC 3339 timestamp with an offset, such as 2026-02-01T00:00:00Z; a plus sign in it is sent as %2B';
  if (fault?.keyword === 'pattern') return 'is a decimal number without sign or exponent, such as 12500.00';
  if (fault?.keyword === 'enum') return `is made of ${(fault.params.allowedValues as string[]).join(', ')}`;
  return `is not valid: it ${fault?.message ?? 'does not fit its schema'}`;
}

/**
 * Validates a query by the route's parameters, and returns the operation's variables. Throws Refusal, in this order:
 * `unknown_parameter`, `invalid_parameter` for a repeated one, `missing_parameter`, `invalid_parameter`.
 */
export function readParameters(
  parameters: readonly Parameter[],
  query: ReadonlyMap<string, readonly string[]>,
  reference: Reference,
): Record<string, unknown> {
  for (const name of query.keys()) {
    if (!parameters.some((parameter) => parameter.name === name))
      throw new Refusal('unknown_parameter', {
        message: `The parameter "${printable(name)}" is not known.`,
        param: printable(name),
      });
  }
  for (const { name, schema } of parameters) {
    const times = query.get(name)?.length ?? 0;
    const instead = schema.type === 'array' ? '; separate its values by commas' : '';
    if (times > 1) refuseParameter(name, `${name} is given more than once${instead}.`);
  }
  for (const { name, required } of parameters) {
    if (required && !query.get(name)?.[0])
      throw new Refusal('missing_parameter', { message: `The parameter ${name} is required.`, param: name });
  }
  const variables: Record<string, unknown> = {};
  for (const parameter of parameters) {
    const text = query.get(parameter.name)?.[0];
    Object.assign(
      variables,
      parameter.variables(text === undefined ? undefined : readValue(parameter, text, reference)),
    );
  }
  return variables;
}

const printable = (name: string) => name.slice(0, 60).replace(/[^\x20-\x7e]/g, '?');
