// Gateway: how large an operation from outside may be, judged before anything is executed.
import { createComplexityRule } from '@pothos/plugin-complexity';
import { type ASTVisitor, GraphQLError, Kind, parse, type ValidationContext, type ValidationRule } from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import { MAX_PAGE_SIZE } from '../paging/paging.ts';

const MAX_TOKENS = 1_000;
const MAX_ALIASES = 30;
const MAX_DEPTH = 12;
const MAX_BREADTH = 200;

const tooComplex = (message: string) => new GraphQLError(message, { extensions: { code: 'query_too_complex' } });

/** At most MAX_ALIASES aliases in one document: they multiply work that depth and tokens do not show. */
function aliasRule(context: ValidationContext): ASTVisitor {
  let aliases = 0;
  return {
    Field(field) {
      if (field.alias === undefined) return;
      aliases += 1;
      if (aliases === MAX_ALIASES + 1)
        context.reportError(tooComplex(`The operation has more than ${MAX_ALIASES} aliases.`));
    },
  };
}

/** No page is larger than MAX_PAGE_SIZE: said here, where nothing has been read for it yet. */
function pageSizeRule(variables: Readonly<Record<string, unknown>>): ValidationRule {
  return (context) => {
    const check = (size: unknown) => {
      if (typeof size !== 'number' || (size >= 1 && size <= MAX_PAGE_SIZE)) return;
      const message = `A page has 1 to ${MAX_PAGE_SIZE} rows.`;
      context.reportError(new GraphQLError(message, { extensions: { code: 'invalid_parameter' } }));
    };
    const defaults = new Map<string, number>();
    return {
      VariableDefinition({ variable, defaultValue }) {
        if (defaultValue?.kind === Kind.INT) defaults.set(variable.name.value, Number(defaultValue.value));
      },
      Argument({ name, value }) {
        if (name.value !== 'first') return;
        if (value.kind === Kind.INT) check(Number(value.value));
        if (value.kind === Kind.VARIABLE) check(variables[value.name.value] ?? defaults.get(value.name.value));
      },
    };
  };
}

/** Bounds tokens, aliases, page sizes, depth, breadth and cost. */
export function useBounds(costLimit: number): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn((source: Parameters<typeof parse>[0], options?: object) =>
        parse(source, { ...options, maxTokens: MAX_TOKENS }),
      );
    },
    onValidate({ addValidationRule, context }) {
      const variables = (context as YogaInitialContext).params.variables ?? {};
      addValidationRule(aliasRule);
      addValidationRule(pageSizeRule(variables));
      addValidationRule(
        createComplexityRule({
          context: {},
          variableValues: variables,
          maxComplexity: costLimit,
          maxDepth: MAX_DEPTH,
          maxBreadth: MAX_BREADTH,
        }),
      );
    },
  };
}
