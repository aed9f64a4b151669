// Bench: one graphql for the product's schema and whatever is put over it; PostGraphile brings an older one of its own.
// Loaded before a contestant's program.
import { registerHooks } from 'node:module';

const PRODUCT = new URL('../../package.json', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, /^graphql(\/|$)/.test(specifier) ? { ...context, parentURL: PRODUCT } : context),
});
