// Gateway room: how large an operation from outside may be, judged before anything is executed.
import { createComplexityRule } from '@pothos/plugin-complexity';
import { type ASTVisitor, GraphQLError, parse, type ValidationContext } from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';

const MOST_TOKENS = 1_000;
const MOST_ALIASES = 30;
const MOST_DEPTH = 12;
const MOST_BREADTH = 200;

const tooComplex = (message: string) => new GraphQLError(message, { extensions: { code: 'query_too_complex' } });

/** At most MOST_ALIASES aliases in one document: they multiply work that depth and tokens do not show. */
function aliasRule(context: ValidationContext): ASTVisitor {
  let aliases = 0;
  return {
    Field(field) {
      if (field.alias === undefined) return;
      aliases += 1;
      if (aliases === MOST_ALIASES + 1)
        context.reportError(tooComplex(`The operation has more than ${MOST_ALIASES} aliases.`));
    },
  };
}

/** Bounds tokens, aliases, depth, breadth and cost. */
export function useBounds(costLimit: number): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn((source: Parameters<typeof parse>[0], options?: object) =>
        parse(source, { ...options, maxTokens: MOST_TOKENS }),
      );
    },
    onValidate({ addValidationRule, context }) {
      addValidationRule(aliasRule);
      addValidationRule(
        createComplexityRule({
          context: {},
          variableValues: (context as YogaInitialContext).params.variables ?? {},
          maxComplexity: costLimit,
          maxDepth: MOST_DEPTH,
          maxBreadth: MOST_BREADTH,
        }),
      );
    },
  };
}
