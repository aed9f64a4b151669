// Schema: the scalars. Stored values are already in their serialised form; these check input.
import { GraphQLError, Kind, print, type ValueNode, valueFromASTUntyped } from 'graphql';
import { readInt64 } from '#core/exact-json.ts';
import { isDate, parseTimestamp } from '#core/timestamps.ts';
import { builder } from './builder.ts';

/** For text that `read` accepts, in variables and in documents. A refusal quotes what was written. */
function textParser(
  named: string,
  read: (text: string) => string | null,
  kinds: readonly (Kind.STRING | Kind.INT)[] = [Kind.STRING],
) {
  const parse = (value: unknown, written: () => string): string => {
    const parsed = typeof value === 'string' ? read(value) : null;
    if (parsed === null) throw new GraphQLError(`not ${named}: ${written()}`);
    return parsed;
  };
  return {
    parseValue: (value: unknown) => parse(value, () => JSON.stringify(value)),
    parseLiteral: (node: ValueNode) =>
      parse(kinds.some((kind) => kind === node.kind) && 'value' in node ? node.value : null, () => print(node)),
  };
}

function textScalar(
  name: 'Timestamp' | 'Date' | 'Decimal',
  description: string,
  read: (text: string) => string | null,
): void {
  builder.scalarType(name, {
    description,
    serialize: (value) => value as string,
    ...textParser(`a ${name}`, read),
  });
}

textScalar('Timestamp', 'RFC 3339, UTC, exactly milliseconds: `2026-01-15T10:00:00.000Z`.', parseTimestamp);
textScalar('Date', 'A calendar date: `2026-01-15`.', (text) => (isDate(text) ? text : null));
textScalar('Decimal', 'A decimal number as text, never a float: `12500.00`.', (text) =>
  /^\d{1,20}(\.\d{1,20})?$/.test(text) ? text : null,
);

builder.scalarType('Int64', {
  description: 'A whole number of 64 bits, written as text because JSON readers round larger ones.',
  serialize: (value) => value,
  ...textParser('an Int64', readInt64, [Kind.STRING, Kind.INT]),
});

builder.scalarType('JSON', {
  description: 'A JSON value whose shape another definition gives, such as the schema of a category.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
});
