// Gateway: documents from outside, read once: parsed, validated, and kept by their text for when they come again.
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
/** Characters of all texts that are kept. With all that is made of it, a text takes up to a hundred bytes a character. */
const MAX_CHARACTERS = 200_000;

/** What is known of a document from its text alone. */
export interface OutsideDocument extends Compilable {
  readonly document: DocumentNode;
  /** Why it does not fit the schema; the same each time. Nothing but `document` is to be used where there are any. */
  readonly errors: readonly GraphQLError[];
}

/** What a request says besides the document. */
export interface OperationRequest {
  operationName?: string | null | undefined;
  variables?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface OutsideDocuments {
  readonly schema: GraphQLSchema;
  /** Throws GraphQLError, the same each time, for what is no GraphQL or is longer than allowed. */
  read(text: string): OutsideDocument;
}

export function openDocuments(schema: GraphQLSchema): OutsideDocuments {
  const kept = new LRUCache<string, OutsideDocument>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, { length }) => Math.max(length, 1),
  });
  return {
    schema,
    read: (text) => getOrInsert(kept, text, () => readDocument(text, schema)),
  };
}

function readDocument(text: string, schema: GraphQLSchema): OutsideDocument {
  const document = parse(text, { maxTokens: MAX_TOKENS });
  const errors = validate(schema, document, [...specifiedRules, aliasRule]);
  return { document, errors, ...compilableOf(document) };
}

/** At most MAX_ALIASES aliases in one document: they multiply work that depth and tokens do not show. */
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
