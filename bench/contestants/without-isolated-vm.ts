// Bench, Directus: starts it without its sandbox for scripts in flows, a native module that the bench does not need and
// many machines cannot build. Loaded before Directus.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'isolated-vm' ? 'node:vm' : specifier, context),
});
