// Bench, Directus: starts without its sandbox for scripts in flows, a native module that the bench has no use for and
// many machines cannot build. Loaded before Directus.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'isolated-vm' ? 'node:vm' : specifier, context),
});
