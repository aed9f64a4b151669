// Gateway: documents from outside, parsed and validated once, and cached by their text.
import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  parse,
  specifiedRules,
  type ValidationContext,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { getOrInsert } from '#core/get-or-insert.ts';
import { type Compilable, compilableOf } from './compile.ts';

const MAX_TOKENS = 1_000;
const MAX_ALIASES = 30;
const MAX_DOCUMENTS = 500;
/** Characters of all cached texts. With everything derived from it, a text takes up to a hundred bytes a character. */
const MAX_CHARACTERS = 200_000;

/** A document with everything that follows from its text alone. */
export interface OutsideDocument extends Compilable {
  readonly document: DocumentNode;
  /** Validation errors, always the same. If there are any, only `document` may be used. */
  readonly errors: readonly GraphQLError[];
}

/** The request's parameters in addition to the document. */
export interface OperationRequest {
  operationName?: string | null | undefined;
  variables?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface OutsideDocuments {
  readonly schema: GraphQLSchema;
  /** Throws GraphQLError, always the same, for text that is not GraphQL or exceeds the maximum length. */
  read(text: string): OutsideDocument;
}

export function openDocuments(schema: GraphQLSchema): OutsideDocuments {
  const cache = new LRUCache<string, OutsideDocument>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, { length }) => Math.max(length, 1),
  });
  return {
    schema,
    read: (text) => getOrInsert(cache, text, () => readDocument(text, schema)),
  };
}

function readDocument(text: string, schema: GraphQLSchema): OutsideDocument {
  const document = parse(text, { maxTokens: MAX_TOKENS });
  const errors = validate(schema, document, [...specifiedRules, aliasRule]);
  return { document, errors, ...compilableOf(document) };
}

/** At most MAX_ALIASES aliases in one document: they multiply work without adding depth or many tokens. */
function aliasRule(context: ValidationContext): ASTVisitor {
  let aliases = 0;
  return {
    Field(field) {
      if (field.alias === undefined) return;
      aliases += 1;
      if (aliases !== MAX_ALIASES + 1) return;
      const message = `The operation has more than ${MAX_ALIASES} aliases.`;
      context.reportError(new GraphQLError(message, { extensions: { code: 'query_too_complex' } }));
    },
  };
}
