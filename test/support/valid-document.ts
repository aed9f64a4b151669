// Test support: whether a prepared document fits the schema, which the gateway does not check.
import { type GraphQLSchema, NoUnusedFragmentsRule, parse, specifiedRules, validate } from 'graphql';

/** Several documents share one text with fragments. */
const RULES = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule);

/** Throws where it does not. */
export function requireValid(name: string, text: string, schema: GraphQLSchema): void {
  const faults = validate(schema, parse(text), RULES);
  if (faults.length > 0) throw new Error(`operation ${name}: ${faults.map((fault) => fault.message).join('; ')}`);
}
