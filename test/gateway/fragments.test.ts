// Fragments of a prepared document are inlined before it is pruned and executed.
import { buildSchema, parse, print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { prepareDocument } from '#gateway/execution/execute.ts';
import { writeFragmentsOut } from '#gateway/execution/fragments.ts';
import { requireValid } from '#test/support/valid-document.ts';

const schema = buildSchema('type Query { body: Thing } type Thing { a: Int b: Thing c(first: Int): Int }');

describe('fragments of a prepared document', () => {
  it('are inlined where they are spread, nested ones too, in the order of the document', () => {
    const text = `query Q($on: Boolean!) { body { c(first: 1) ...Two a } }
      fragment Two on Thing { b @include(if: $on) { ...One } a }
      fragment One on Thing { x: a }
      fragment Unused on Thing { a }`;
    const { document } = prepareDocument('q', text, schema);
    const inlined = 'query Q($on: Boolean!) { body { c(first: 1) b @include(if: $on) { x: a } a a } }';
    expect(print(document)).toBe(print(parse(inlined)));
  });

  it('are refused by the check of all documents if they do not match the schema', () => {
    const check = (text: string) => () => requireValid('q', text, schema);
    expect(check('{ body { ...None } }')).toThrow(/None/);
    expect(check('{ body { ...F } } fragment F on Thing { nothing }')).toThrow(/nothing/);
    expect(check('{ body { ...F } } fragment F on Query { body { a } }')).toThrow(/Query/);
    expect(check('{ body { ...F } } fragment F on Thing { b { ...F } }')).toThrow(/F/);
  });

  it('may not have directives', () => {
    const text = 'query Q($on: Boolean!) { body { ...F @include(if: $on) } } fragment F on Thing { a }';
    expect(() => writeFragmentsOut(parse(text))).toThrow(/never for fragments/);
  });
});
