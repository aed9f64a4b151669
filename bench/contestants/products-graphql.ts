// Bench: makes all modules use the product's graphql; PostGraphile comes with an older one. Loaded before a
// contestant's program.
import { registerHooks } from 'node:module';

const PRODUCT = new URL('../../package.json', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, /^graphql(\/|$)/.test(specifier) ? { ...context, parentURL: PRODUCT } : context),
});
