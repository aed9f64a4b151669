// Schema: the scalars. Stored values are already in their serialised form; these check input.
import { GraphQLError, Kind, print, type ValueNode, valueFromASTUntyped } from 'graphql';
import { readInt64 } from '#core/exact-json.ts';
import { isDate, parseTimestamp } from '#core/timestamps.ts';
import { builder } from './builder.ts';

function textScalar(
  name: 'Timestamp' | 'Date' | 'Decimal',
  description: string,
  read: (text: string) => string | null,
): void {
  const parse = (value: unknown, written = JSON.stringify(value)): string => {
    const parsed = typeof value === 'string' ? read(value) : null;
    if (parsed === null) throw new GraphQLError(`not a ${name}: ${written}`);
    return parsed;
  };
  builder.scalarType(name, {
    description,
    serialize: (value) => value as string,
    parseValue: (value) => parse(value),
    parseLiteral: (node: ValueNode) => parse(node.kind === Kind.STRING ? node.value : null, print(node)),
  });
}

textScalar('Timestamp', 'RFC 3339, UTC, exactly milliseconds: `2026-01-15T10:00:00.000Z`.', parseTimestamp);
textScalar('Date', 'A calendar date: `2026-01-15`.', (text) => (isDate(text) ? text : null));
textScalar('Decimal', 'A decimal number as text, never a float: `12500.00`.', (text) =>
  /^\d{1,20}(\.\d{1,20})?$/.test(text) ? text : null,
);

function parseInt64(value: unknown, written = JSON.stringify(value)): string {
  const number = typeof value === 'string' ? readInt64(value) : null;
  if (number === null) throw new GraphQLError(`not an Int64: ${written}`);
  return number;
}

builder.scalarType('Int64', {
  description: 'A whole number of 64 bits, written as text because JSON readers round larger ones.',
  serialize: (value) => value,
  parseValue: (value) => parseInt64(value),
  parseLiteral: (node) =>
    parseInt64(node.kind === Kind.STRING || node.kind === Kind.INT ? node.value : null, print(node)),
});

builder.scalarType('JSON', {
  description: 'A JSON value whose shape another definition gives, such as the schema of a category.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
});
