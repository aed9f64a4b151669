// REST facade: the kinds of query parameters, each with how its text is read, and the JSON Schema that documents it.
import { Refusal, refuseParameter } from '#core/errors.ts';
import { parseTimestamp } from '#core/timestamps.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE, MAX_PAGE_SIZE } from '#gateway/paging/paging.ts';
import type { Reference } from '#gateway/reference.ts';
import { CLIENT_ID, CURSOR } from './examples.ts';

/** `rule` follows the parameter's name in the message. */
type Refuse = (rule: string) => never;

interface Form {
  /** JSON Schema of the parsed value (integers as numbers, lists as arrays). */
  schema: { type: 'string' | 'integer' | 'array'; [keyword: string]: unknown };
  /** Parses exactly what the schema describes, and refuses the rest. */
  read(text: string, refuse: Refuse): unknown;
}

export interface Parameter extends Form {
  name: string;
  description: string;
  required?: boolean;
  example: unknown;
  /** Codes allowed by the deployment's reference rows. */
  codes?: (reference: Reference) => readonly string[];
  /** The operation's variables for the value; `undefined` means not given. */
  variables: (value: unknown) => Record<string, unknown>;
}

const as = (variable: string) => (value: unknown) => ({ [variable]: value ?? null });

const codesOf = (rows: readonly { code: string }[]) => rows.map(({ code }) => code);

const anyText: Form = { schema: { type: 'string' }, read: (text) => text };

const DECIMAL = /^\d{1,20}(\.\d{1,20})?$/;
const decimal: Form = {
  schema: { type: 'string', pattern: DECIMAL.source },
  read: (text, refuse) =>
    DECIMAL.test(text) ? text : refuse('is a decimal number without sign or exponent, such as 12500.00'),
};

const timestamp: Form = {
  schema: { type: 'string', format: 'date-time' },
  read: (text, refuse) =>
    parseTimestamp(text) ??
    refuse('is an RFC 3339 timestamp with an offset, such as 2026-02-01T00:00:00Z; a plus sign in it is sent as %2B'),
};

const wholeNumber = (bounds: { maximum: number; default: number }): Form => ({
  schema: { type: 'integer', minimum: 1, ...bounds },
  read: (text, refuse) =>
    /^[1-9]\d{0,15}$/.test(text) && Number(text) <= bounds.maximum
      ? Number(text)
      : refuse(`is a whole number from 1 to ${bounds.maximum}`),
});

/** Of any texts if `members` is not given. */
const listOf = (members?: readonly string[]): Form => ({
  schema: { type: 'array', items: { type: 'string', ...(members && { enum: members }) }, minItems: 1 },
  read: (text, refuse) => {
    const values = text.split(',');
    if (members !== undefined && !values.every((value) => members.includes(value)))
      refuse(`is made of ${members.join(', ')}`);
    return values;
  },
});

export const clientId: Parameter = {
  name: 'client_id',
  description: "The client's user id. A client without a grant for the key and an unknown one are not told apart.",
  required: true,
  ...anyText,
  schema: { type: 'string', minLength: 1 },
  example: CLIENT_ID,
  variables: as('clientId'),
};

export const category: Parameter = {
  name: 'category',
  description: 'Only items of this category, or of several separated by commas. Needs the scope `registry`.',
  ...listOf(),
  codes: (reference) => codesOf(reference.categories),
  example: ['WT'],
  variables: as('categories'),
};

export const minValue: Parameter = {
  name: 'min_value',
  description:
    "Least market value, inclusive, in the client's reporting currency; items without one never match. Needs `valuation`.",
  ...decimal,
  example: '1000',
  variables: as('minValue'),
};

export const maxValue: Parameter = {
  name: 'max_value',
  description:
    "Greatest market value, inclusive, in the client's reporting currency; items without one never match. Needs `valuation`.",
  ...decimal,
  example: '250000.00',
  variables: as('maxValue'),
};

export const updatedSince: Parameter = {
  name: 'updated_since',
  description:
    'Delta sync: only items that changed after this instant, in the order of change, and what left the view since. Send the `sync.as_of` of the last first page. Needs `registry`.',
  ...timestamp,
  example: '2026-02-01T00:00:00.000Z',
  variables: (value) => ({ updatedSince: value ?? null, delta: value !== undefined }),
};

export const include: Parameter = {
  name: 'include',
  description:
    'Adds to each asset its `valuations` (the 10 newest; needs the scope `valuation`), its `documents` (all; needs `documentation`), or both, separated by a comma.',
  ...listOf(['valuations', 'documents']),
  example: ['valuations'],
  variables: (value) => {
    const wanted = (value ?? []) as string[];
    return { valuations: wanted.includes('valuations'), documents: wanted.includes('documents') };
  },
};

export const page: Parameter = {
  name: 'page',
  description: 'Page number, from 1. A page past the end is an empty list.',
  ...wholeNumber({ maximum: MAX_PAGE, default: 1 }),
  example: 1,
  variables: as('page'),
};

export const pageSize: Parameter = {
  name: 'page_size',
  description: 'Rows per page.',
  ...wholeNumber({ maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE }),
  example: 25,
  variables: as('first'),
};

export const cursor: Parameter = {
  name: 'cursor',
  description:
    'Where to go on: `pagination.next_cursor` of the page before, with the same other parameters. Not together with `page`.',
  ...anyText,
  example: CURSOR,
  variables: as('after'),
};

export const source: Parameter = {
  name: 'source',
  description: 'Only valuations of this source.',
  ...anyText,
  codes: (reference) => codesOf(reference.valuationSources),
  example: 'appraisal',
  variables: as('source'),
};

export const since: Parameter = {
  name: 'since',
  description: 'Only valuations valued after this instant.',
  ...timestamp,
  example: '2026-01-01T00:00:00Z',
  variables: as('since'),
};

/** Reads the value of one parameter. Throws Refusal `invalid_parameter`. */
function readValue(parameter: Parameter, text: string, reference: Reference): unknown {
  const refuse: Refuse = (rule) => refuseParameter(parameter.name, `${parameter.name} ${rule}.`);
  const value = parameter.read(text, refuse);
  const codes = parameter.codes?.(reference);
  const unknown = codes === undefined ? undefined : [value].flat().find((code) => !codes.includes(String(code)));
  if (unknown !== undefined) refuse(`is one of ${codes?.join(', ')}`);
  return value;
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
