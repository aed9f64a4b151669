// Test support: the environment variables that processes of the product inherit.

/**
 * PATH, and the compile cache of Node: set by the program's own code, the cache would not cover the first file, and
 * stripping its types is a quarter of the cost of a command.
 */
export const CHILD_ENVIRONMENT = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
